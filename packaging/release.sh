#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# release.sh PACKAGE DIST: packs the program that ./dev package has built in PACKAGE.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
package=$1
dist=$2
version=$(sed -n 's/^project(perfshelf VERSION \([0-9.]*\).*/\1/p' "$here/../CMakeLists.txt")

# The files as `cmake --install` puts them, with the licences of all that is in the program
stage=$package/stage
rm -rf "$stage"
cmake --install "$package/program" --prefix "$stage" >/dev/null
# Written again: the date of the commit is in them, and may have changed since the program was built.
python3 "$here/man.py" "$package/program/perfshelf" "$stage/share/man"
doc=$stage/share/doc/perfshelf
python3 "$here/licences.py" "$package/root" "$doc"
cp "$here/perfshelf.service" "$here/serve.conf" "$doc"

rm -rf "$dist"
mkdir -p "$dist"
name=perfshelf-$version-linux-x86_64
python3 "$here/tarball.py" "$stage" "$dist/$name.tar.gz" "$name"
"$here/deb.sh" "$stage" "$version" "$dist/perfshelf_${version}_amd64.deb"
python3 "$here/wheel.py" "$stage" "$version" "$dist"
(cd "$dist" && sha256sum -- * | tee SHA256SUMS && stat -c '%10s  %n' -- *)
