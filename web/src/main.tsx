/* SPDX-License-Identifier: MIT */
import { render } from 'preact';
import { hostOfWindow } from './base/panel';
import { App } from './views/app';
import { openPanel } from './views/panel_view';

const panel = hostOfWindow();
const place = document.getElementById('app');
if (place) render(panel ? openPanel(panel) : <App />, place);
