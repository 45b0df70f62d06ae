/* SPDX-License-Identifier: MIT */
import { render } from 'preact';
import { hostOfWindow } from './base/panel';
import { App } from './features/app/app';
import { openPanel } from './features/side/panel';

const panel = hostOfWindow();
const place = document.getElementById('app');
if (place) render(panel ? openPanel(panel) : <App />, place);
