//! A chat: a page that is part of the program, a room over WebSocket, a clock as server-sent events.
//!
//! Run it with `cargo run --release -p chat`, and open the address that it logs in two windows. What is said is kept nowhere but in the
//! room, and there for a moment only.

mod clock;
mod room;

use polywire::DefaultChain;
use polywire::files::Embedded;
use polywire::prelude::*;
use polywire::ws::WebSocket;

use clock::Clock;
use room::Room;

#[cfg(test)]
mod tests;

polywire::generated! { state: Chat, chain: Chain }

/// Every answer goes through the default chain. What the page needs is answered before the routes are asked.
type Chain = (DefaultChain, Embedded);

/// The state of the application.
struct Chat {
    page: String,
    room: Room,
    clock: Clock,
}

/// The page may use what comes from here, and nothing else: whatever somebody says, no script in it runs.
#[route(GET, "/")]
async fn index(State(chat): State<'_, Chat>) -> (StatusCode, [(HeaderName, &'static str); 1], Html<&str>) {
    let policy = (header::CONTENT_SECURITY_POLICY, "default-src 'self'");
    (StatusCode::OK, [policy], Html(&chat.page))
}

/// Pages of other origins are refused, and so is a message above 4 KiB. What the page lets people write is shorter. Who enters listens before
/// the client is told that it is in: what is said in between is heard, too.
#[route(GET, "/talk")]
async fn talk(head: &impl RequestHead, cx: &mut impl Upgrade, State(chat): State<'_, Chat>) -> Result<(), Problem> {
    let (room, others) = (chat.room.clone(), chat.room.listen());
    WebSocket::options()
        .max_message(4 << 10)
        .accept(head, cx, async move |socket| room.talk(socket, others).await)
}

/// Each page that is open holds one of the six connections that a browser makes to a host over HTTP/1.1. One stream for all that a page
/// wants to know is better than one for each.
#[route(GET, "/clock")]
async fn clock(State(chat): State<'_, Chat>) -> impl Respond {
    chat.clock.listen()
}

/// The files of the page. Their paths change with what is in them, so browsers keep them for ever.
fn assets() -> Embedded {
    let files: [(&str, &[u8]); 3] = [
        ("chat.css", include_bytes!("page/chat.css")),
        ("chat.js", include_bytes!("page/chat.js")),
        ("icon.svg", include_bytes!("page/icon.svg")),
    ];
    Embedded::new("/static", files)
}

/// It is async for the clock, which needs the runtime that will be there for as long as the server is.
async fn build() -> Result<generated::Routes, std::convert::Infallible> {
    let assets = assets();
    let mut page = include_str!("page/index.html").to_owned();
    for (name, url) in assets.urls() {
        page = page.replace(&format!("{{{name}}}"), url);
    }
    let chat = Chat {
        page,
        room: Room::new(),
        clock: Clock::start(),
    };
    Ok(generated::Routes::new((DefaultChain::default(), assets), chat))
}

fn main() -> ExitCode {
    App::build(build).about("A chat: what one says, all hear.").run()
}
