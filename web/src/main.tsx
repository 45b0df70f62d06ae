/* SPDX-License-Identifier: MIT */
import { render } from 'preact';
import { showDirectionMarks } from './base/direction_marks';
import { openApp } from './features/app/app';
import { hostOfWindow, openPanel } from './features/side/panel';

showDirectionMarks(CanvasRenderingContext2D.prototype);
const panel = hostOfWindow();
const place = document.getElementById('app');
if (place) render(panel ? openPanel(panel) : openApp(), place);
