//! What is asked for: a request of each kind that applications have.

use crate::client::{FIELDS, get};

/// The request of this name.
pub(crate) fn request(case: &str) -> Option<String> {
    let request = match case {
        "static" => get("/ping"),
        "param" => get(PARAM),
        "query" => get("/search?q=kyrux&page=3"),
        "post" => post(),
        "html" => get("/rows"),
        "missing" => get("/nowhere"),
        _ => return None,
    };
    Some(request)
}

/// What is asked for if nobody says otherwise.
pub(crate) const PARAM: &str = "/users/42";

fn post() -> String {
    let user = r#"{"name":"ann","email":"ann@example.org","age":42}"#;
    format!(
        "POST /users HTTP/1.1\r\n{FIELDS}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{user}",
        user.len()
    )
}
