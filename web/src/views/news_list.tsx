/* SPDX-License-Identifier: MIT
 *
 * What became of files that did not simply appear on the shelf.
 */
import { formatHash } from '../base/router';
import { Notice } from '../components/notice';
import { dismiss, news, type News } from './live';

export function NewsList() {
    if (!news.value.length) return null;
    return (
        <div class="news">
            {news.value.map((item) => (
                <Item key={item.key} item={item} />
            ))}
        </div>
    );
}

function Item({ item }: { item: News }) {
    const remove = (
        <button type="button" class="link" onClick={() => dismiss(item.key)}>
            Dismiss
        </button>
    );
    if (item.kind === 'already') {
        return (
            <Notice
                kind="info"
                title={
                    <>
                        <b>{item.name}</b> is on the shelf already: the same bytes were added before
                    </>
                }
                actions={
                    <>
                        {item.run && (
                            <a class="link" href={formatHash(['run', item.run])}>
                                Open it
                            </a>
                        )}
                        {remove}
                    </>
                }
            />
        );
    }
    if (item.kind === 'left_out') {
        return (
            <Notice
                kind="info"
                title={
                    <>
                        Left out, for no profile is in it: <b>{item.name}</b>
                    </>
                }
                actions={remove}
            >
                <details>
                    <summary>Which, and why</summary>
                    <ul>
                        {item.files?.map((file) => (
                            <li key={file}>{file}</li>
                        ))}
                    </ul>
                </details>
            </Notice>
        );
    }
    return (
        <Notice
            kind="error"
            title={
                <>
                    <b>{item.name}</b> was not added
                </>
            }
            error={item.error ?? undefined}
            actions={remove}
        />
    );
}
