/* SPDX-License-Identifier: MIT */
/* Frames as samplers write them, and their shorter forms: `run (/lib/click/core.py:12)`, `run
 * (core.py:12)`, `run`. Other samplers write the file first:
 * `site-packages/torch/nn/conv.py(438):_forward`, `/app/main.py:run:12`. */
import { shortName } from './timeline_names';

const SOURCE_LOCATION = /^(.+ )\([^()]*[./\\:<][^()]*\)$/;
const LEADING = /^\S*[\\/](?=[^\\/]*\.pyx?\b)/;
const PARENTHESIZED_FOLDERS = /^(.+ \()[^()]*[\\/](?=[^\\/]+\)$)/;

/** Index at which the source location of a frame begins: 0 if the name begins with it, its length
 * if there is none. */
export function locationStart(name: string): number {
    const place = SOURCE_LOCATION.exec(name);
    if (place) return place[1].length;
    return LEADING.test(name) ? 0 : name.length;
}

/* Folders of a virtual environment or an interpreter, up to the package. */
const INSTALLED =
    /(^|[([])[^()[\]]*?[\\/](?:(?:site|dist)-packages|lib[\\/]python\d[\d.]*t?|Lib)[\\/](?!(?:site|dist)-packages)/;

/** Forms of the name from complete to short, each different from the previous one. The complete one
 * lacks the folders in which a package or the standard library is installed. */
export function frameForms(fullName: string): string[] {
    const name = fullName.replace(INSTALLED, '$1');
    const shortened = name.replace(PARENTHESIZED_FOLDERS, '$1').replace(LEADING, '');
    const place = SOURCE_LOCATION.exec(shortened);
    const forms = [name, shortened, shortName(place ? place[1].trimEnd() : shortened)];
    return forms.filter((form, i) => i === 0 || form !== forms[i - 1]);
}

/** A frame of a sampler in parts: `load`, `/srv/app.py`, 20; a part that it lacks is '' or 0. */
export interface FrameParts {
    name: string;
    file: string;
    line: number;
}

const FILE_AND_LINE = /^(.*?)(?::(\d+))?$/;
const FILE_FIRST = /^(\S*\.pyx?)(?:\((\d+)\))?:\s?(.*?)(?::(\d+))?$/;

export function frameParts(fullName: string): FrameParts {
    const start = locationStart(fullName);
    if (start > 0 && start < fullName.length) {
        const place = FILE_AND_LINE.exec(fullName.slice(start + 1, -1));
        return {
            name: fullName.slice(0, start).trimEnd(),
            file: place?.[1] ?? '',
            line: Number(place?.[2] ?? 0),
        };
    }
    const fileFirst = FILE_FIRST.exec(fullName);
    if (!fileFirst) return { name: fullName, file: '', line: 0 };
    const [, file, lineBefore, name, lineAfter] = fileFirst;
    return { name, file, line: Number(lineBefore ?? lineAfter ?? 0) };
}

/** Whether a path has the folders of an installed package or of the standard library. */
export const isInstalledFile = (file: string): boolean => INSTALLED.test(file);

/** The package that a file of an installed package or of the standard library belongs to:
 * `werkzeug` of `…/site-packages/werkzeug/serving.py`, `threading` of `…/python3.11/threading.py`. */
export function libraryOfFile(file: string): string {
    const inside = file.replace(INSTALLED, '$1').replace(/^[\\/]+/, '');
    const first = inside.split(/[\\/]/)[0];
    return first.replace(/\.pyx?$/, '');
}
