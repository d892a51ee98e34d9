//! What `assets/editors` says of the language is what the language is.

use std::collections::BTreeSet;

use crate::support::repository;
use orbitscope::script::core::Builtin;
use orbitscope::syntax::KEYWORDS;

fn read(path: &str) -> String {
    let path = repository("assets/editors").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn expected() -> [BTreeSet<String>; 2] {
    let builtins = Builtin::ALL.iter().map(|b| b.name().to_owned());
    let keywords = KEYWORDS.iter().map(ToString::to_string);
    [keywords.collect(), builtins.collect()]
}

#[test]
fn neovim_knows_all_keywords_and_built_in_names() {
    let text = read("neovim/syntax/cspm.vim");
    let listed = |group: &str| {
        let head = format!("syntax keyword {group} ");
        let lines = text.lines().filter_map(|line| line.strip_prefix(&head));
        let words = lines.flat_map(str::split_whitespace);
        words.map(str::to_owned).collect::<BTreeSet<String>>()
    };
    assert_eq!([listed("cspmKeyword"), listed("cspmBuiltin")], expected());
}

#[test]
fn code_knows_all_keywords_and_built_in_names() {
    let text = read("vscode/syntaxes/cspm.tmLanguage.json");
    let grammar: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let listed = |name: &str| {
        let mut all = grammar["patterns"].as_array().expect("patterns").iter();
        let found = all.find(|p| p["name"] == name).expect("a pattern");
        let pattern = found["match"].as_str().expect("a pattern");
        let inner = pattern.split(['(', ')']).nth(1).expect("a group");
        inner
            .split('|')
            .map(str::to_owned)
            .collect::<BTreeSet<String>>()
    };
    let found = [
        listed("keyword.control.cspm"),
        listed("support.function.cspm"),
    ];
    assert_eq!(found, expected());
}

#[test]
fn files_of_code_are_json_and_lead_to_one_another() {
    let package: serde_json::Value =
        serde_json::from_str(&read("vscode/package.json")).expect("JSON");
    let contributed = &package["contributes"];
    for path in [
        &contributed["languages"][0]["configuration"],
        &contributed["grammars"][0]["path"],
    ] {
        let path = path.as_str().expect("a path").trim_start_matches("./");
        let text = read(&format!("vscode/{path}"));
        assert!(
            serde_json::from_str::<serde_json::Value>(&text).is_ok(),
            "{path}"
        );
    }
    assert!(read("helix/languages.toml").contains("args = [\"lsp\"]"));
    // `setfiletype` would leave `.csp` to the file type of that name, which Neovim brings along.
    assert!(read("neovim/ftdetect/cspm.lua").contains("csp = \"cspm\""));
    assert!(read("neovim/ftplugin/cspm.lua").contains("\"orbitscope\", \"lsp\""));
}
