"""Folders of transformers models, in the archives that Tactus's trainers make of them."""

from __future__ import annotations

import io
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tactus_temporal.worker.fault import Fault
from tactus_temporal.worker.model_files import FileContent

#: What a model is read from: no pickle, no program.
_READ = {".json", ".model", ".safetensors", ".txt"}
#: Weights hardly get smaller in an archive, and the words of a tokenizer by four or five times.
_MOST_TIMES_LARGER = 20


@contextmanager
def unpacked(content: FileContent) -> Iterator[str]:
    """A folder with the files of an archive, as long as it is used.

    Raises:
        Fault: `file_failed`; it is damaged, or holds no model that can be read without running it
    """
    name = content.state.file.name
    try:
        archive = zipfile.ZipFile(io.BytesIO(content.data))
    except zipfile.BadZipFile as error:
        raise Fault(f"{name} is damaged, or no archive", code="file_failed") from error
    with archive, tempfile.TemporaryDirectory(prefix="tactus-model-", ignore_cleanup_errors=True) as folder:
        # `save_pretrained` makes no folders; in the tokenizer's and the weights' files there is all.
        members = [each for each in archive.infolist() if Path(each.filename).name == each.filename]
        names = {each.filename for each in members}
        if "config.json" not in names:
            raise Fault(f"{name} holds no config.json, so no model of transformers", code="file_failed")
        if not any(each.endswith(".safetensors") for each in names):
            raise Fault(
                f"{name} holds no weights as .safetensors: others are pickles, which can run any code as they are "
                "read; save_pretrained writes safetensors",
                code="file_failed",
            )
        read = [each for each in members if Path(each.filename).suffix in _READ]
        if sum(each.file_size for each in read) > _MOST_TIMES_LARGER * len(content.data):
            raise Fault(f"{name} would become more than {_MOST_TIMES_LARGER} times as large", code="file_failed")
        try:
            for each in read:
                with archive.open(each) as packed, open(Path(folder, each.filename), "wb") as file:
                    shutil.copyfileobj(packed, file)
        except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
            raise Fault(f"{name} can't be unpacked: {error}", code="file_failed") from error
        yield folder
