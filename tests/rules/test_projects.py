"""A folder's project id, read from git's files: worktrees share one, submodules and clones have their own."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from rules.projects import project_id

git_is_there = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def expected_id(folder):
    path = os.path.realpath(folder)
    return f"{Path(path).name}-{hashlib.sha256(path.encode()).hexdigest()[:8]}"


def git(*arguments, cwd):
    identity = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *identity, *arguments], cwd=cwd, check=True, capture_output=True)  # noqa: S607


@pytest.fixture
def repository(tmp_path):
    """A real repository with one commit."""
    folder = tmp_path / "app"
    folder.mkdir()
    git("init", "--quiet", cwd=folder)
    git("commit", "--quiet", "--allow-empty", "-m", "first", cwd=folder)
    return folder


@pytest.fixture
def submodule(repository, tmp_path):
    library = tmp_path / "library"
    library.mkdir()
    git("init", "--quiet", cwd=library)
    git("commit", "--quiet", "--allow-empty", "-m", "first", cwd=library)
    git("submodule", "add", "--quiet", str(library), "vendor/lib", cwd=repository)
    return repository / "vendor" / "lib"


@git_is_there
def test_every_folder_of_a_repository_belongs_to_it(repository):
    deep = repository / "packages" / "web"
    deep.mkdir(parents=True)

    assert project_id(str(deep)) == project_id(str(repository)) == expected_id(repository)


@git_is_there
def test_nb106_the_id_is_the_one_that_git_itself_would_give(repository):
    done = subprocess.run(
        ["git", "rev-parse", "--show-toplevel"],  # noqa: S607
        cwd=repository,
        capture_output=True,
        text=True,
        check=True,
    )

    assert project_id(str(repository)) == expected_id(done.stdout.strip())


@git_is_there
def test_nb103_worktrees_of_one_repository_are_one_project(repository, tmp_path):
    git("worktree", "add", "--quiet", str(tmp_path / "elsewhere" / "tree"), cwd=repository)

    assert project_id(str(tmp_path / "elsewhere" / "tree")) == project_id(str(repository))


def test_nb103_folders_of_the_same_name_are_two_projects(tmp_path):
    for parent in ("a", "b"):
        (tmp_path / parent / "app" / ".git").mkdir(parents=True)
        (tmp_path / parent / "app" / ".git" / "HEAD").touch()

    ids = {project_id(str(tmp_path / parent / "app")) for parent in ("a", "b")}

    assert len(ids) == 2
    assert {name.partition("-")[0] for name in ids} == {"app"}


@git_is_there
def test_nb107_isolated_each_worktree_is_a_project_of_its_own(repository, tmp_path):
    git("worktree", "add", "--quiet", str(tmp_path / "tree"), cwd=repository)

    assert project_id(str(tmp_path / "tree"), isolate_worktrees=True) == expected_id(tmp_path / "tree")
    assert project_id(str(repository), isolate_worktrees=True) == expected_id(repository)


@git_is_there
def test_nb105_a_submodule_is_a_project_of_its_own(submodule):
    assert project_id(str(submodule)) == expected_id(submodule)


@git_is_there
def test_a_worktree_of_a_submodule_belongs_to_the_submodule(submodule, tmp_path):
    git("worktree", "add", "--quiet", str(tmp_path / "tree"), cwd=submodule)

    assert project_id(str(tmp_path / "tree")) == expected_id(submodule)


@git_is_there
def test_worktrees_of_a_bare_repository_share_its_own_path(repository, tmp_path):
    git("clone", "--quiet", "--bare", str(repository), str(tmp_path / "bare.git"), cwd=tmp_path)
    for name in ("one", "two"):
        git("worktree", "add", "--quiet", "-b", name, str(tmp_path / name), cwd=tmp_path / "bare.git")

    ids = {project_id(str(tmp_path / name)) for name in ("one", "two")}

    assert ids == {expected_id(tmp_path / "bare.git")}


@git_is_there
def test_a_bare_repository_inside_its_project_folder_gives_the_folders_id(repository, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    git("clone", "--quiet", "--bare", str(repository), str(project / ".bare"), cwd=tmp_path)
    (project / ".git").write_text("gitdir: ./.bare\n")
    git("worktree", "add", "--quiet", "-b", "one", str(project / "one"), cwd=project)

    assert project_id(str(project / "one")) == project_id(str(project)) == expected_id(project)


def test_a_folder_outside_any_repository_stands_for_itself(tmp_path):
    assert project_id(str(tmp_path)) == expected_id(tmp_path)


def test_a_link_is_what_it_points_to(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")

    assert project_id(str(tmp_path / "link")) == expected_id(tmp_path / "real")


def test_a_folder_that_is_gone_still_has_its_id(tmp_path):
    assert project_id(str(tmp_path / "gone")) == expected_id(tmp_path / "gone")


def test_an_empty_git_folder_makes_no_repository(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "inner").mkdir()

    assert project_id(str(tmp_path / "inner")) == expected_id(tmp_path / "inner")


@pytest.mark.parametrize(
    "content", [b"", b"gitdir:", b"gitdir: \n", b"nonsense", b"\xff\xfe", b"gitdir: /gone\n", b"x" * 99_999]
)
def test_a_damaged_pointer_does_no_harm(tmp_path, content):
    (tmp_path / ".git").write_bytes(content)

    assert project_id(str(tmp_path)) == expected_id(tmp_path)


@pytest.mark.parametrize("cwd", ["", "/a\0b", "/\ud83d"])
def test_what_can_be_no_path_has_no_project(cwd):
    assert project_id(cwd) == ""


def test_a_path_of_any_length_has_an_answer():
    assert project_id("/" + "x" * 100_000) in ("", expected_id("/" + "x" * 100_000))


def test_the_root_folder_has_a_name():
    assert project_id("/").startswith("root-") or (Path("/") / ".git").exists()
