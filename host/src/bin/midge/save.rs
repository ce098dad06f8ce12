//! Bytes saved to files. A server has no say in where: its names are reduced to plain ones inside the directory that the
//! user names, and nothing that exists is overwritten unless the user asks for it.

use crate::cli::Save;
use crate::failure::Failure;
use crate::output::Output;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where bytes go.
pub struct Saver {
    place: Place,
    force: bool,
    saved: usize,
    paths: Vec<String>,
}

enum Place {
    Nowhere,
    Stdout,
    File(PathBuf),
    Directory(PathBuf),
}

impl Saver {
    /// Nothing is saved.
    pub fn nowhere() -> Self {
        Self { place: Place::Nowhere, force: false, saved: 0, paths: Vec::new() }
    }

    /// Looks before anything is called whether `save` can be done.
    pub fn new(save: &Save) -> Result<Self, Failure> {
        let Some(out) = &save.out else { return Ok(Self::nowhere()) };
        let directory = out.is_dir() || out.as_os_str().to_string_lossy().ends_with(std::path::is_separator);
        let place = if out.as_os_str() == "-" {
            Place::Stdout
        } else if directory {
            std::fs::create_dir_all(out).map_err(|e| unwritable(out, &e))?;
            Place::Directory(out.clone())
        } else if !save.force && out.symlink_metadata().is_ok() {
            return Err(Failure::usage(format!("`{}` exists; --force overwrites it", out.display())));
        } else {
            // Before anything is called: its answer would be lost.
            let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
            if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
                return Err(Failure::usage(format!("there is no directory `{}`", folder.display())));
            }
            Place::File(out.clone())
        };
        Ok(Self { place, force: save.force, saved: 0, paths: Vec::new() })
    }

    /// Whether the user wants bytes saved.
    pub fn wanted(&self) -> bool {
        !matches!(self.place, Place::Nowhere)
    }

    /// Whether stdout is for bytes alone.
    pub fn takes_stdout(&self) -> bool {
        matches!(self.place, Place::Stdout)
    }

    /// How many were saved.
    pub fn saved(&self) -> usize {
        self.saved
    }

    /// Where they are.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// Saves `bytes`; `hint` is what a server calls them. Says where they are.
    pub fn put(
        &mut self,
        bytes: &[u8],
        hint: &str,
        mime: Option<&str>,
        out: &Output,
    ) -> Result<Option<String>, Failure> {
        let path = match &self.place {
            Place::Nowhere => return Ok(None),
            Place::Stdout => {
                out.bytes(bytes)?;
                self.saved += 1;
                return Ok(None);
            }
            Place::File(path) if self.saved == 0 => {
                write(path, bytes, self.force).map_err(|e| unwritable(path, &e))?;
                path.clone()
            }
            Place::File(path) => next_free(path, bytes)?,
            Place::Directory(dir) => next_free(&dir.join(name(hint, mime)), bytes)?,
        };
        self.saved += 1;
        let path = path.display().to_string();
        self.paths.push(path.clone());
        Ok(Some(path))
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("cannot write `{}`: {error}", path.display()))
}

fn write(path: &Path, bytes: &[u8], force: bool) -> io::Result<()> {
    let mut file = if force {
        File::create(path)?
    } else {
        OpenOptions::new().write(true).create_new(true).open(path)?
    };
    file.write_all(bytes)
}

/// How many names are tried.
const TRIES: usize = 10_000;

/// Writes to `path`, or to `path-2`, `path-3` and so on: the first that does not exist.
fn next_free(path: &Path, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let extension = path.extension().map(|e| format!(".{}", e.to_string_lossy())).unwrap_or_default();
    for number in 1..TRIES {
        let free = match number {
            1 => path.to_owned(),
            number => path.with_file_name(format!("{stem}-{number}{extension}")),
        };
        match write(&free, bytes, false) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(unwritable(&free, &e)),
            Ok(()) => return Ok(free),
        }
    }
    Err(Failure::usage(format!("`{}` and {TRIES} names after it exist", path.display())))
}

/// Long names do not fit every file system.
const LONGEST: usize = 80;

/// A plain file name of what a server calls it: its last part, without anything that has a meaning in paths
/// or, at its beginning, to the commands that it may be given to.
fn name(hint: &str, mime: Option<&str>) -> String {
    let last =
        hint.split(['?', '#']).next().unwrap_or("").trim_end_matches('/').rsplit(['/', '\\', ':']).next();
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let plain: String = last.unwrap_or("").chars().take(LONGEST).map(safe).collect();
    let plain = plain.trim_start_matches(['.', '-']).trim_end_matches('.');
    let stem = plain.split('.').next().unwrap_or("").to_ascii_lowercase();
    let numbered = |device: &str| stem.strip_prefix(device).is_some_and(|n| n.len() == 1 && n != "0");
    // Devices of Windows, whatever their extension.
    let device = matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt");
    let plain = match plain {
        "" => "output".to_owned(),
        plain if device => format!("_{plain}"),
        plain => plain.to_owned(),
    };
    with_extension(plain, mime)
}

/// MIME types and the extensions they are known by, the first one to be given.
const EXTENSIONS: &[(&str, &[&str])] = &[
    ("image/png", &["png"]),
    ("image/jpeg", &["jpg", "jpeg"]),
    ("image/gif", &["gif"]),
    ("image/webp", &["webp"]),
    ("image/svg+xml", &["svg"]),
    ("image/bmp", &["bmp"]),
    ("image/avif", &["avif"]),
    ("image/tiff", &["tif", "tiff"]),
    ("audio/wav", &["wav"]),
    ("audio/x-wav", &["wav"]),
    ("audio/mpeg", &["mp3"]),
    ("audio/ogg", &["ogg", "oga", "opus"]),
    ("audio/flac", &["flac"]),
    ("audio/mp4", &["m4a", "mp4"]),
    ("audio/webm", &["weba", "webm"]),
    ("video/mp4", &["mp4"]),
    ("video/webm", &["webm"]),
    ("application/pdf", &["pdf"]),
    ("application/json", &["json"]),
    ("application/zip", &["zip"]),
    ("application/gzip", &["gz", "tgz"]),
    ("application/xml", &["xml"]),
    ("text/xml", &["xml"]),
    ("text/html", &["html", "htm"]),
    ("text/css", &["css"]),
    ("text/csv", &["csv"]),
    ("text/markdown", &["md"]),
];

fn with_extension(name: String, mime: Option<&str>) -> String {
    let own = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let mime = mime.unwrap_or("").split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    let known = EXTENSIONS.iter().find(|(known, _)| *known == mime).map(|(_, extensions)| *extensions);
    match (own, known) {
        (Some(own), Some(known)) if known.contains(&own.as_str()) => name,
        (_, Some(known)) => format!("{name}.{}", known.first().unwrap_or(&"bin")),
        (Some(_), None) => name,
        (None, None) if mime.starts_with("text/") => format!("{name}.txt"),
        (None, None) => format!("{name}.bin"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_directory() {
        for hint in [
            "../../etc/passwd",
            "..",
            "/",
            "file:///a/..",
            "a\\..\\..\\b",
            "C:evil",
            "x\0y",
            "~",
            ".bashrc",
            "-rf",
            ".-x",
            "a/./..",
            "%2e%2e%2f",
            "",
        ] {
            let name = name(hint, None);
            let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
            assert!(plain && !name.starts_with(['.', '-']) && !name.is_empty(), "{hint:?} gives {name:?}");
            assert_eq!(Path::new(&name).components().count(), 1, "{hint:?} gives {name:?}");
        }
        assert_eq!(name("nul", Some("image/png")), "_nul.png");
        assert_eq!(name("COM1.txt", None), "_COM1.txt");
        assert!(name(&"x".repeat(10_000), None).len() < 100);
    }

    #[test]
    fn extensions_follow_the_mime_type() {
        assert_eq!(name("chart", Some("image/png")), "chart.png");
        assert_eq!(name("file:///a/photo.JPEG?x=1", Some("image/jpeg")), "photo.JPEG");
        assert_eq!(name("setup.exe", Some("image/png")), "setup.exe.png");
        assert_eq!(name("data", Some("application/json; charset=utf-8")), "data.json");
        assert_eq!(name("notes", Some("text/x-unknown")), "notes.txt");
        assert_eq!(name("main.rs", Some("text/plain")), "main.rs");
        assert_eq!(name("data", None), "data.bin");
    }

    #[test]
    fn nothing_is_overwritten() {
        let dir = std::env::temp_dir().join(format!("midge-save-{}", std::process::id()));
        let out = Output::new(false, true);
        let save = |out: PathBuf, force| Save { out: Some(out), force };
        let inside = dir.join("");
        let mut saver = Saver::new(&save(inside, false)).unwrap();
        for expected in ["chart.png", "chart-2.png", "chart-3.png"] {
            let path = saver.put(b"new", "chart", Some("image/png"), &out).unwrap().unwrap();
            assert_eq!(path, dir.join(expected).display().to_string());
        }
        let file = dir.join("chart.png");
        let told = Saver::new(&save(file.clone(), false)).err().unwrap().message;
        assert!(told.contains("--force"), "{told}");
        let mut saver = Saver::new(&save(file.clone(), true)).unwrap();
        saver.put(b"first", "x", None, &out).unwrap();
        let second = saver.put(b"second", "x", None, &out).unwrap().unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"first");
        assert_eq!(second, dir.join("chart-4.png").display().to_string());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
