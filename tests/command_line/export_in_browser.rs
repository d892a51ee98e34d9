//! Pages to share in a browser without a window, where there is one: stepped through by clicks and by keys.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{orbitscope, repository, tiers};

const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// What a reader does, and what is to be seen after each action: the number of the step, and how many are shown.
const READER: &str = r#"<script>
(() => {
  const seen = [];
  const steps = [...document.querySelectorAll(".step")];
  const look = (what) => {
    const shown = steps.map((step, n) => step.hidden ? -1 : n).filter((n) => n >= 0);
    const current = document.querySelectorAll('nav a[aria-current="step"]').length;
    seen.push(what + ":" + (shown.length === 1 ? shown[0] : "all" + shown.length) + "/" + current);
  };
  const click = (go) => {
    document.querySelector(`.controls button[data-go="${go}"]`).click();
    look(go);
  };
  const press = (key) => {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    look(key);
  };
  look("opened");
  press("ArrowRight");
  press("ArrowRight");
  press("ArrowLeft");
  click("next");
  click("last");
  press("ArrowRight");
  const over = document.querySelector('.controls button[data-go="next"]').getAttribute("aria-disabled");
  seen.push("over:" + over);
  click("all");
  click("all");
  click("first");
  click("previous");
  document.querySelectorAll("nav a")[2].click();
  look("link");
  // Without a mouse: what can be acted on can be focused, and has a name.
  const acts = [...document.querySelectorAll("button, a")];
  const named = acts.every((one) => one.textContent.trim() && (one.tagName === "BUTTON" || one.hasAttribute("href")));
  const reached = acts.filter((one) => one.offsetParent).every((one) => { one.focus(); return document.activeElement === one; });
  seen.push("named:" + named + " reached:" + reached + " width:" + (document.documentElement.scrollWidth <= innerWidth));
  document.title = seen.join(" ");
})();
</script>"#;

/// The title of a page after all of its scripts, by the first browser that is there.
fn title_after(page: &Path) -> Option<String> {
    let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
    let options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=800,600",
        "--dump-dom",
    ];
    let page = format!("file://{}", page.display());
    let shown = BROWSERS.iter().find_map(|browser| {
        let mut command = Command::new(browser);
        command.args(options).stderr(Stdio::null());
        command.arg(format!("--user-data-dir={}", profile.display()));
        command.arg(&page).output().ok()
    })?;
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    let (_, title) = text.split_once("<title>")?;
    Some(title.split_once("</title>")?.0.to_owned())
}

#[test]
fn a_page_is_stepped_through_in_a_browser() {
    let model = repository("models/stack_aba.csp").display().to_string();
    let ran = orbitscope(&["export", &model, "-a", "1"], b"");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let page = ran.stdout.replace("</body>", &format!("{READER}</body>"));
    assert!(page.contains(READER));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stepped.html");
    std::fs::write(&path, page).expect("it can be written");
    let Some(title) = title_after(&path) else {
        tiers::note("export_in_browser", "there is no Chromium");
        return;
    };
    let wanted = "opened:0/1 ArrowRight:1/1 ArrowRight:2/1 ArrowLeft:1/1 next:2/1 last:17/1 ArrowRight:17/1 \
                  over:true all:all18/1 all:17/1 first:0/1 previous:0/1 link:2/1 named:true reached:true width:true";
    assert_eq!(title, wanted);
}
