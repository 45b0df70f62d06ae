/* SPDX-License-Identifier: MIT */
import { Notice } from '../../components/notice';
import { failedParts } from './use_json';

/** What the content below lacks, because its request failed and it has no place for an error. */
export function FailedParts() {
    const errors = [...failedParts.value.values()];
    const different = errors.filter(
        ({ text }, i) => errors.findIndex((one) => one.text === text) === i,
    );
    return (
        <>
            {different.map((error) => (
                <div class="failed-part" key={error.text}>
                    <Notice
                        kind="error"
                        title="A part of this page could not be read"
                        error={error}
                    />
                </div>
            ))}
        </>
    );
}
