//! The page in a real browser: two tabs talk, see the clock, and see that the server goes down.
//!
//! It needs Debian's `chromium` and `chromium-driver`. Where they are missing it says so and is skipped, unless `CI` is set.

#[path = "support/driver.rs"]
mod driver;
mod support;

use std::io::Write;

use driver::Browser;
use serde_json::json;
use support::Chat;

/// The key at the end of a line, in WebDriver.
const ENTER: char = '\u{e007}';

const CONNECTED: &str = "document.getElementById('state').textContent === 'Connected'";
const LOST: &str = "document.getElementById('state').textContent.startsWith('Not connected')";

/// What is said, as it stands on the page.
const SAID: &str = "[...document.querySelectorAll('#room p')].map((line) => line.innerText)";

#[test]
fn two_tabs_talk() {
    let Some(browser) = Browser::start() else {
        const MISSING: &str = "`chromium` or `chromedriver` is missing (Debian: chromium, chromium-driver)";
        assert!(std::env::var_os("CHAT_BROWSER").is_none(), "{MISSING}");
        // Past the harness, which would keep it to itself.
        let _ = writeln!(std::io::stderr(), "skipped: {MISSING}");
        return;
    };
    let chat = Chat::start();
    let url = format!("http://{}/", chat.address);
    let ann = browser.tab(&url);
    browser.until(CONNECTED);
    let bob = browser.tab(&url);
    browser.until(CONNECTED);

    // What one writes both read, as it was written.
    browser.switch(&ann);
    browser.type_into("#name", "ann");
    browser.type_into("#text", &format!("is <b>this</b> bold?{ENTER}"));
    for tab in [&ann, &bob] {
        browser.switch(tab);
        browser.until(&format!("{SAID}.some((line) => line.includes('<b>this</b>'))"));
        assert_eq!(
            browser.run(&format!("return {SAID}")),
            json!(["ann: is <b>this</b> bold?"])
        );
        assert_eq!(browser.run("return document.querySelectorAll('b').length"), json!(0));
    }
    browser.type_into("#name", "bob");
    browser.type_into("#text", &format!("no{ENTER}"));
    browser.switch(&ann);
    browser.until(&format!("{SAID}.length === 2"));
    assert_eq!(browser.run("return document.getElementById('text').value"), json!(""));

    // The clock has a time, and then another one.
    browser.until("document.getElementById('clock').dateTime");
    let time = browser.run("return document.getElementById('clock').dateTime");
    browser.until(&format!("document.getElementById('clock').dateTime !== {time}"));

    // What the page would not let a person write closes its connection, and it opens another.
    browser.run("document.getElementById('text').value = 'a'.repeat(5000)");
    browser.type_into("#text", &ENTER.to_string());
    browser.until(LOST);
    browser.until(CONNECTED);
    browser.type_into("#text", &format!("here I am again{ENTER}"));
    browser.switch(&bob);
    browser.until(&format!("{SAID}.at(-1).includes('here I am again')"));

    for tab in [&ann, &bob] {
        browser.switch(tab);
        assert_eq!(browser.console(), [json!(null); 0]);
    }
    chat.stop();
    browser.until(LOST);
    assert_eq!(
        browser.run("return document.getElementById('send').disabled"),
        json!(true)
    );
    chat.ended();
}
