#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# release.sh PACKAGE ARCHITECTURE DIST: packs the program for x86_64 or aarch64 that ./dev package has built in PACKAGE.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
package=$1
architecture=$2
dist=$3
debian=$(dpkg-architecture -f -T "$architecture-linux-gnu" -qDEB_TARGET_ARCH)
version=$(sed -n 's/^project(perfshelf VERSION \([0-9.]*\).*/\1/p' "$here/../CMakeLists.txt")

# The files as `cmake --install` puts them, with the licences of all that is in the program
stage=$package/$architecture/stage
rm -rf "$stage"
cmake --install "$package/$architecture/program" --prefix "$stage" >/dev/null
# Written again: the date of the commit is in them, and may have changed since the program was built.
python3 "$here/man.py" "$package/$(uname -m)/program/perfshelf" "$stage/share/man"
doc=$stage/share/doc/perfshelf
python3 "$here/licences.py" "$package/$architecture/root" "$doc" "$architecture"
cp "$here/perfshelf.service" "$here/serve.conf" "$doc"

mkdir -p "$dist"
name=perfshelf-$version-linux-$architecture
python3 "$here/tarball.py" "$stage" "$dist/$name.tar.gz" "$name"
"$here/deb.sh" "$stage" "$version" "$debian" "$dist/perfshelf_${version}_$debian.deb"
python3 "$here/wheel.py" "$stage" "$version" "$dist" "$architecture"
(cd "$dist" && rm -f SHA256SUMS && sha256sum -- * | tee SHA256SUMS && stat -c '%10s  %n' -- *)
