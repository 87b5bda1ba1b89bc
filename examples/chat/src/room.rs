//! The room: what one client says, all hear, the one who said it too.

use polywire::Problem;
use polywire::streams::{Broadcast, Listener};
use polywire::ws::WebSocket;
use serde::{Deserialize, Serialize};

/// How many messages a client may be behind. The room keeps no more of them, however many clients there are and however slow.
const BEHIND: usize = 64;

/// What a client says.
#[derive(Deserialize)]
pub(crate) struct Said {
    name: String,
    text: String,
}

/// What a client hears: `{"kind":"words","name":"ann","text":"hello"}`.
#[derive(Clone, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Heard {
    Words {
        name: String,
        text: String,
    },
    /// It was too slow: so many messages were not kept for it.
    Missed {
        messages: u64,
    },
}

/// A clone is the same room.
#[derive(Clone)]
pub(crate) struct Room(Broadcast<Heard>);

impl Room {
    pub(crate) fn new() -> Self {
        Self(Broadcast::new(BEHIND))
    }

    /// What is said from now on.
    pub(crate) fn listen(&self) -> Listener<Heard> {
        self.0.listen()
    }

    /// Has one client talk, and hear the others, until it leaves or the server goes down.
    pub(crate) async fn talk(
        &self,
        socket: WebSocket<Said, Heard>,
        mut others: Listener<Heard>,
    ) -> Result<(), Problem> {
        let (sender, mut receiver) = socket.split();
        loop {
            tokio::select! {
                said = receiver.receive() => match said? {
                    Some(said) => self.say(said),
                    None => return Ok(()),
                },
                heard = others.next() => {
                    let heard = match heard {
                        Ok(Some(heard)) => heard,
                        Ok(None) => return Ok(()),
                        Err(lagged) => Heard::Missed { messages: lagged.missed() },
                    };
                    // It waits for a slow client, and what is said meanwhile waits in the room.
                    sender.send(&heard).await?;
                }
            }
        }
    }

    fn say(&self, said: Said) {
        let (name, text) = (said.name.trim(), said.text.trim());
        if text.is_empty() {
            return;
        }
        let name = if name.is_empty() { "somebody" } else { name };
        self.0.send(Heard::Words {
            name: name.to_owned(),
            text: text.to_owned(),
        });
    }
}
