//! Where a URL leads, for people who are to decide whether to open it.

use crate::safe;

/// A URL, taken apart as far as that helps to see where it leads.
pub struct Address<'u> {
    url: &'u str,
    host: std::ops::Range<usize>,
    scheme: String,
}

impl<'u> Address<'u> {
    pub fn new(url: &'u str) -> Self {
        let (scheme, rest) = url.split_once(':').unwrap_or(("", url));
        let scheme = scheme.to_ascii_lowercase();
        let begin = url.len() - rest.strip_prefix("//").map_or(0, str::len);
        // Browsers take a backslash for a slash.
        let end = url[begin..].find(['/', '?', '#', '\\']).map_or(url.len(), |at| begin + at);
        let authority = &url[begin..end];
        let host = begin + authority.rfind('@').map_or(0, |at| at + 1);
        let port = url[host..end].rfind(':').filter(|at| !url[host + at..end].contains(']'));
        Self { url, host: host..port.map_or(end, |at| host + at), scheme }
    }

    /// Whether it leads to a page on a host, and not to a script, to a file, or wherever a browser thinks it does.
    pub fn is_page(&self) -> bool {
        matches!(self.scheme.as_str(), "https" | "http") && !self.host.is_empty()
    }

    pub fn host(&self) -> &'u str {
        &self.url[self.host.clone()]
    }

    /// The URL with its host passed through `mark`; every character is seen.
    pub fn shown(&self, mark: impl Fn(&str) -> String) -> String {
        let seen = |text: &str| safe::line(&text.replace(|c: char| c.is_whitespace(), "␠"));
        let (before, after) = (&self.url[..self.host.start], &self.url[self.host.end..]);
        [seen(before), mark(&seen(self.host())), seen(after)].concat()
    }

    /// What one should know before one opens it.
    pub fn warnings(&self) -> Vec<&'static str> {
        let host = self.host().to_ascii_lowercase();
        let local = matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]");
        let authority = &self.url[..self.host.start];
        let found = [
            (host.is_empty(), "it has no host"),
            (
                self.scheme != "https" && !local,
                "it is not https: others on the network can read and change what is sent",
            ),
            (
                host.split('.').any(|label| label.starts_with("xn--")),
                "its host is punycode: it may look like another one",
            ),
            (!host.is_ascii(), "its host has letters that may look like others"),
            (authority.contains('@'), "what stands before the @ is no host: it leads to the host behind it"),
            (
                host.contains('%')
                    || self.url.contains(|c: char| c == '\\' || c.is_whitespace() || !safe::harmless(c)),
                "it has odd characters",
            ),
        ];
        found.into_iter().filter(|(is, _)| *is).map(|(_, warning)| warning).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_host() {
        for (url, host) in [
            ("https://example.com/sign-in", "example.com"),
            ("https://example.com:8443?x=https://other.org", "example.com"),
            ("https://good.com@evil.com/", "evil.com"),
            ("https://good.com\\@evil.com/", "good.com"),
            ("https://[::1]:80/", "[::1]"),
            ("https://[::1]/", "[::1]"),
            ("https://a#@b", "a"),
            ("mailto:x", ""),
            ("https:evil.com", ""),
            ("https:///evil.com", ""),
            ("https:/\\evil.com", ""),
            ("", ""),
        ] {
            assert_eq!(Address::new(url).host(), host, "{url}");
        }
        let marked = Address::new("https://u@example.com:1/a b").shown(|host| format!("[{host}]"));
        assert_eq!(marked, "https://u@[example.com]:1/a␠b");
    }

    #[test]
    fn only_pages_are_pages() {
        for url in ["https://a.com/", "HTTP://localhost:1/x", "https://[::1]"] {
            assert!(Address::new(url).is_page(), "{url}");
        }
        for url in [
            "javascript://localhost/%0aalert(1)",
            "javascript:alert(1)",
            "file://localhost/etc/passwd",
            "file:///etc/passwd",
            "data:text/html,x",
            "vbscript://a.com/",
            "https:a.com",
            "https:///a.com",
            "//a.com",
            " https://a.com",
            "a.com",
            "x?u=https://good.com/",
            "",
        ] {
            assert!(!Address::new(url).is_page(), "{url}");
        }
    }

    #[test]
    fn warns() {
        let warned = |url: &str| Address::new(url).warnings().join("; ");
        assert_eq!(warned("https://example.com/x?y#z"), "");
        assert_eq!(warned("http://localhost:3000/"), "");
        assert!(warned("http://example.com").contains("not https"));
        assert!(warned("https://%78n--a.com/").contains("odd"));
        assert!(warned("https://xn--pple-43d.com").contains("punycode"));
        assert!(warned("https://аpple.com").contains("look like"));
        assert!(warned("https://good.com@evil.com").contains("before the @"));
        assert!(warned("https://good.com/\u{202e}moc").contains("odd"));
        assert!(warned("https://good.com\\@evil.com").contains("odd"));
    }
}
