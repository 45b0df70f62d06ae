/* SPDX-License-Identifier: MIT */
import { render } from 'preact';
import { openApp } from './features/app/app';
import { hostOfWindow, openPanel } from './features/side/panel';

const panel = hostOfWindow();
const place = document.getElementById('app');
if (place) render(panel ? openPanel(panel) : openApp(), place);
