/* SPDX-License-Identifier: MIT */
import { render } from 'preact';
import { App } from './views/app';

const host = document.getElementById('app');
if (host) render(<App />, host);
