// Starts the language server for CSPm scripts. There is nothing to build: Code runs this file.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const command = vscode.workspace.getConfiguration("orbitscope").get("path", "orbitscope");
  client = new LanguageClient(
    "orbitscope",
    "Orbitscope",
    { command, args: ["lsp"] },
    { documentSelector: [{ language: "cspm" }] },
  );
  try {
    await client.start();
  } catch (error) {
    const what = `The language server does not start: ${error.message}. Is \`${command}\` installed?`;
    vscode.window.showErrorMessage(`${what} The setting orbitscope.path says where it is.`);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old && old.isRunning()) {
    await old.stop();
  }
}

async function activate(context) {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("orbitscope.restart", restart),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("orbitscope.path")) {
        await restart();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
