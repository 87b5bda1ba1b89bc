//! Media types, by the endings of names.

/// The media type of a file by its name. Text is UTF-8 here, as everywhere; what is unknown is bytes.
pub(crate) fn of(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    let media = mime_guess::from_path(file)
        .first_raw()
        .unwrap_or("application/octet-stream");
    match media {
        // The other name is obsolete (RFC 9239).
        "application/javascript" => "text/javascript; charset=utf-8".to_owned(),
        // Only for text does the parameter say what a client could not know (RFC 8259 11: not for JSON).
        text if text.starts_with("text/") => format!("{text}; charset=utf-8"),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_web_is_made_of_is_known() {
        let table = [
            ("index.html", "text/html; charset=utf-8"),
            ("css/app.css", "text/css; charset=utf-8"),
            ("app.js", "text/javascript; charset=utf-8"),
            ("app.mjs", "text/javascript; charset=utf-8"),
            ("a.txt", "text/plain; charset=utf-8"),
            ("a.md", "text/markdown; charset=utf-8"),
            ("data.json", "application/json"),
            ("site.webmanifest", "application/manifest+json"),
            ("a.wasm", "application/wasm"),
            ("A.PNG", "image/png"),
            ("a.jpg", "image/jpeg"),
            ("a.svg", "image/svg+xml"),
            ("a.avif", "image/avif"),
            ("a.webp", "image/webp"),
            ("favicon.ico", "image/x-icon"),
            ("a.woff2", "font/woff2"),
            ("a.mp4", "video/mp4"),
            ("a.pdf", "application/pdf"),
            ("a.tar.gz", "application/gzip"),
            ("Makefile", "application/octet-stream"),
            ("a.unknown", "application/octet-stream"),
            ("folder.html/file", "application/octet-stream"),
        ];
        for (name, media) in table {
            assert_eq!(of(name), media, "{name}");
        }
    }
}
