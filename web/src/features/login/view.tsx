/* SPDX-License-Identifier: MIT
 *
 * Login page of a shelf that requires tokens. The token is exchanged for a cookie that scripts
 * cannot read; it is not stored anywhere else.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { asApiError, type ApiError } from '../../base/client';
import { Notice } from '../../components/notice';
import { setStatus } from '../../components/status_line';
import { logIn } from './user';

export function LoginView() {
    const [token, setToken] = useState('');
    const [busy, setBusy] = useState(false);
    const [error, setError] = useState<ApiError | null>(null);
    const field = useRef<HTMLInputElement | null>(null);
    useEffect(() => {
        document.title = 'Log in · perfshelf';
        setStatus(null, null, null);
        field.current?.focus();
    }, []);

    async function submit(event: Event): Promise<void> {
        event.preventDefault();
        setBusy(true);
        try {
            await logIn(token.trim());
        } catch (reason) {
            setError(asApiError(reason));
            setBusy(false);
            field.current?.select();
        }
    }

    return (
        <main class="login">
            <form class="login-form" onSubmit={(event) => void submit(event)}>
                <h1>Log in to this shelf</h1>
                <label>
                    Token
                    <span class="field">
                        <input
                            ref={field}
                            type="password"
                            autocomplete="current-password"
                            spellcheck={false}
                            placeholder="psf_…"
                            value={token}
                            onInput={(event) => setToken(event.currentTarget.value)}
                        />
                    </span>
                </label>
                {error && <Notice kind="error" title="Token not accepted" error={error} />}
                <div class="login-actions">
                    <button type="submit" class="button primary" disabled={busy || !token.trim()}>
                        Log in
                    </button>
                </div>
                <p class="login-hint">
                    Ask the admin of this shelf for a token. The admin creates one with:{' '}
                    <code>perfshelf token add NAME</code>
                </p>
            </form>
        </main>
    );
}
