//! Lists the files of the SDKs and of the contract, for `espejote plugin`: what goes into the binary.

use std::{
    error::Error,
    fmt::Write as _,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

/// Folders that builds and tests leave behind.
const LEFT_BEHIND: [&str; 7] = [
    "target",
    "node_modules",
    "build",
    "dist",
    "__pycache__",
    ".mypy_cache",
    ".venv",
];
/// What in an SDK's folder is not for projects: templates and toolchains are lists of their own, the rest tests the SDK.
const NOT_VENDORED: [&str; 8] = [
    "template",
    "roles",
    "toolchain",
    "check",
    "generate",
    "requirements-check.txt",
    "testdata",
    "tests",
];

/// Writes the list as Rust code to `out`: of each folder in `repository`/sdk that has a template.
pub fn write(repository: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let mut code = String::from("pub(super) static LANGUAGES: &[Language] = &[\n");
    for sdk in folders(&repository.join("sdk"))? {
        if sdk.join("template").is_dir() && sdk.join("toolchain/build").is_file() {
            language(&sdk, &mut code)?;
        }
    }
    code.push_str("];\npub(super) static DEPLOY: &[(&str, &[File])] = &[\n");
    deploy(&repository.join("sdk/deploy"), &mut code)?;
    code.push_str("];\npub(super) static CONTRACT: &[File] = &[\n");
    list(&repository.join("wit"), &[], &mut code)?;
    code.push_str("];\n");
    Ok(fs::write(out, code)?)
}

fn language(sdk: &Path, code: &mut String) -> Result<(), Box<dyn Error>> {
    let name = sdk.file_name().unwrap_or_default().to_string_lossy();
    writeln!(code, "Language {{ name: {name:?}, sdk: &[")?;
    list(sdk, &NOT_VENDORED, code)?;
    code.push_str("], template: &[\n");
    println!("cargo::rerun-if-changed={}", sdk.join("template").display());
    list(&sdk.join("template"), &[], code)?;
    code.push_str("], roles: &[\n");
    println!("cargo::rerun-if-changed={}", sdk.join("roles").display());
    for role in folders(&sdk.join("roles")).unwrap_or_default() {
        code.push_str("&[\n");
        list(&role, &[], code)?;
        code.push_str("],\n");
    }
    code.push_str("], toolchain: &[\n");
    list(&sdk.join("toolchain"), &[], code)?;
    code.push_str("] },\n");
    Ok(())
}

/// What installs a plugin, for each role: the same in every language.
fn deploy(folder: &Path, code: &mut String) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for role in folders(folder)? {
        let name = role.file_name().unwrap_or_default().to_string_lossy();
        writeln!(code, "({name:?}, &[")?;
        list(&role, &[], code)?;
        code.push_str("]),\n");
    }
    Ok(())
}

/// The files below a folder, without those whose first part is left out.
fn list(folder: &Path, left_out: &[&str], code: &mut String) -> Result<(), Box<dyn Error>> {
    for file in files(folder, left_out)? {
        println!("cargo::rerun-if-changed={}", file.display());
        let executable = fs::metadata(&file)?.permissions().mode() & 0o100 != 0;
        let path = file.strip_prefix(folder)?;
        writeln!(
            code,
            "File {{ path: {path:?}, bytes: include_bytes!({file:?}), executable: {executable} }},"
        )?;
    }
    Ok(())
}

fn files(folder: &Path, left_out: &[&str]) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for path in entries(folder)? {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let is_left_behind = path.is_dir() && LEFT_BEHIND.contains(&name.as_str());
        if is_left_behind || left_out.contains(&name.as_str()) {
            continue;
        }
        match path.is_dir() {
            true => found.extend(files(&path, &[])?),
            false => found.push(path),
        }
    }
    Ok(found)
}

fn folders(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = entries(folder)?;
    found.retain(|path| path.is_dir());
    Ok(found)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let paths: Result<Vec<PathBuf>, _> = fs::read_dir(folder)
        .map_err(|error| format!("{}: {error}", folder.display()))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect();
    let mut paths = paths?;
    paths.sort();
    Ok(paths)
}
