/* SPDX-License-Identifier: MIT
 *
 * Notes over the tracks: a flag on the ruler, a dashed line below the steps, and the text of the
 * selected note beside its line. A flag can be dragged to another time.
 */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Run, TimelineNote } from '../../base/answers';
import { axisText } from '../../base/axis';
import { useKeys } from '../../base/keys';
import { int, when } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import { noteParts, placeFlags } from '../../model/timeline_notes';
import { type Notes, notesPath } from './notes';
import { OVERVIEW } from './scene';
import type { TimelineStage } from './stage';

const CLICK_PX = 4;
const ROW_PX = 11;
const CARD_WIDTH = 260;
/** maximum length of a note in characters; the server counts bytes */
const MAX_LENGTH = 2000;

/** A note that is being written. */
export interface NoteDraft {
    t_ns: number;
    area: string;
    /** the note that is changed; null: a new one */
    note: TimelineNote | null;
}

/** What the stage shows, as of its last frame. */
interface Frame {
    from: number;
    to: number;
    width: number;
    head: number;
}

interface NotesLayerProps {
    notes: Notes;
    selected: TimelineNote | null;
    draft: NoteDraft | null;
    /** receives the function that the stage calls after each frame */
    onFrame: { current: ((stage: TimelineStage) => void) | null };
    onSelect: (note: TimelineNote | null) => void;
    onDraft: (draft: NoteDraft | null) => void;
    /** zooms to notes that are too close to each other */
    onSpread: (notes: TimelineNote[]) => void;
}

export function NotesLayer(props: NotesLayerProps) {
    const { notes, selected, draft, onFrame, onSelect } = props;
    const [frame, setFrame] = useState<Frame | null>(null);
    const [moved, setMoved] = useState<{ id: string; t_ns: number } | null>(null);
    onFrame.current = ({ view, renderer, scene }) => {
        const { from, to } = view;
        const { width } = renderer;
        setFrame((old) =>
            old?.from === from && old.to === to && old.width === width && old.head === scene.head
                ? old
                : { from, to, width, head: scene.head },
        );
    };
    const remove = (): void => {
        if (!selected || !notes.mayChange(selected)) return;
        void notes.remove(selected.id);
        onSelect(null);
    };
    useKeys('Notes', [
        { key: 'Delete', label: selected ? 'delete the selected note' : '', run: remove },
    ]);
    if (!frame) return null;
    const nsPerPx = (frame.to - frame.from) / Math.max(1, frame.width);
    const xOf = (t_ns: number): number => (t_ns - frame.from) / nsPerPx;
    const rows = notes.rows.map((note) =>
        note.id === moved?.id ? { ...note, t_ns: moved.t_ns } : note,
    );
    const move = async (note: TimelineNote, t_ns: number): Promise<void> => {
        setMoved({ id: note.id, t_ns });
        // A moved note is no longer about its area.
        await notes.change(note.id, { t_ns, area: '' });
        setMoved(null);
    };
    const shown = draft ?? selected;
    return (
        <div class="timeline-notes">
            {placeFlags(rows, xOf, frame.width).map(({ x, row, notes: group }) =>
                group.length > 1 ? (
                    <button
                        key={group[0].id}
                        type="button"
                        class="timeline-note-group"
                        style={{
                            left: Math.max(0, Math.min(frame.width - 60, x - 30)),
                            top: OVERVIEW + 3,
                        }}
                        title={group.map(({ text }) => noteParts(text).title).join('\n')}
                        onClick={() => props.onSpread(group)}
                    >
                        {int(group.length)} notes
                    </button>
                ) : (
                    <NoteFlag
                        key={group[0].id}
                        note={group[0]}
                        x={x}
                        top={OVERVIEW + row * ROW_PX}
                        head={frame.head}
                        nsPerPx={nsPerPx}
                        isSelected={group[0].id === selected?.id}
                        mayMove={notes.mayChange(group[0])}
                        onSelect={onSelect}
                        onDrag={(t_ns) => setMoved({ id: group[0].id, t_ns })}
                        onMove={(t_ns) => void move(group[0], t_ns)}
                    />
                ),
            )}
            {shown && (
                <NoteCard x={xOf(shown.t_ns)} frame={frame}>
                    {draft ? (
                        <NoteEditor {...props} draft={draft} />
                    ) : (
                        selected && <NoteText {...props} selected={selected} onRemove={remove} />
                    )}
                </NoteCard>
            )}
        </div>
    );
}

interface NoteFlagProps {
    note: TimelineNote;
    x: number;
    top: number;
    /** y below the steps */
    head: number;
    nsPerPx: number;
    isSelected: boolean;
    mayMove: boolean;
    onSelect: (note: TimelineNote) => void;
    /** while the flag is dragged */
    onDrag: (t_ns: number) => void;
    onMove: (t_ns: number) => void;
}

function NoteFlag({ note, x, top, head, nsPerPx, isSelected, mayMove, ...on }: NoteFlagProps) {
    const drag = useRef<{ x: number; t_ns: number; isMoved: boolean } | null>(null);
    const timeAt = (clientX: number): number => {
        const start = drag.current;
        return start
            ? Math.max(0, Math.round(start.t_ns + (clientX - start.x) * nsPerPx))
            : note.t_ns;
    };
    const stop = (clientX: number | null): void => {
        const isMoved = drag.current?.isMoved ?? false;
        const t_ns = clientX === null ? note.t_ns : timeAt(clientX);
        drag.current = null;
        if (clientX !== null && isMoved) on.onMove(t_ns);
    };
    return (
        <>
            <button
                type="button"
                class={`timeline-note-flag${isSelected ? ' is-selected' : ''}`}
                style={{ left: x - 5, top }}
                aria-label={`note at ${axisText(note.t_ns)}: ${noteParts(note.text).title}`}
                aria-pressed={isSelected}
                title={`${noteParts(note.text).title}${note.who ? ` (${note.who})` : ''}`}
                onClick={() => on.onSelect(note)}
                onPointerDown={(event) => {
                    if (!mayMove || event.button !== 0) return;
                    event.currentTarget.setPointerCapture(event.pointerId);
                    drag.current = { x: event.clientX, t_ns: note.t_ns, isMoved: false };
                }}
                onPointerMove={(event) => {
                    const start = drag.current;
                    if (!start) return;
                    start.isMoved ||= Math.abs(event.clientX - start.x) >= CLICK_PX;
                    if (start.isMoved) on.onDrag(timeAt(event.clientX));
                }}
                onPointerUp={(event) => stop(event.clientX)}
                onPointerCancel={() => stop(null)}
                onKeyDown={(event) => {
                    if (!mayMove || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight'))
                        return;
                    event.preventDefault();
                    event.stopPropagation();
                    const px = (event.shiftKey ? 10 : 1) * (event.key === 'ArrowLeft' ? -1 : 1);
                    on.onMove(Math.max(0, Math.round(note.t_ns + px * nsPerPx)));
                }}
            />
            <div
                class={`timeline-note-line${isSelected ? ' is-selected' : ''}`}
                style={{ left: x, top: head }}
            />
        </>
    );
}

interface NoteCardProps {
    x: number;
    frame: Frame;
    children: ComponentChildren;
}

/* The card is right of the line, or left of it if there is no space. */
function NoteCard({ x, frame, children }: NoteCardProps) {
    const isLeft = x + CARD_WIDTH + 16 > frame.width && x > CARD_WIDTH;
    const left = Math.max(
        4,
        Math.min(frame.width - CARD_WIDTH - 4, isLeft ? x - CARD_WIDTH - 10 : x + 10),
    );
    if (x < 0 || x > frame.width) return null;
    return (
        <div class="timeline-note-card" style={{ left, top: frame.head + 24, width: CARD_WIDTH }}>
            {children}
        </div>
    );
}

interface NoteTextProps extends NotesLayerProps {
    selected: TimelineNote;
    onRemove: () => void;
}

function NoteText({ notes, selected, onDraft, onRemove, onSelect }: NoteTextProps) {
    const { title, rest } = noteParts(selected.text);
    const { t_ns, area, who, at } = selected;
    return (
        <>
            <div class="timeline-note-title">
                <b>{title}</b>{' '}
                <span title={at}>
                    {who && `${who}, `}
                    {axisText(t_ns)}, {when(at)}
                </span>
            </div>
            {rest && <p>{rest}</p>}
            <div class="timeline-note-actions">
                <CopyButton text={() => location.href} label="Copy link" />
                {notes.mayChange(selected) && (
                    <>
                        <button
                            type="button"
                            class="link"
                            onClick={() => onDraft({ t_ns, area, note: selected })}
                        >
                            Edit
                        </button>
                        <button type="button" class="link" onClick={onRemove}>
                            Delete
                        </button>
                    </>
                )}
                <button type="button" class="link" onClick={() => onSelect(null)}>
                    Close
                </button>
            </div>
            {notes.error && <p class="timeline-note-error">{notes.error.text}</p>}
        </>
    );
}

function NoteEditor({ notes, draft, onDraft, onSelect }: NotesLayerProps & { draft: NoteDraft }) {
    const [text, setText] = useState(draft.note?.text ?? '');
    const [busy, setBusy] = useState(false);
    const save = async (): Promise<void> => {
        const { t_ns, area, note } = draft;
        setBusy(true);
        const body = text.trim();
        const id = note
            ? (await notes.change(note.id, { text: body })) && note.id
            : await notes.add({ t_ns, area, text: body });
        setBusy(false);
        if (!id) return;
        onSelect({ id, t_ns, area, text: body, who: '', at: '' });
        onDraft(null);
    };
    return (
        <form
            onSubmit={(event) => {
                event.preventDefault();
                void save();
            }}
        >
            <textarea
                aria-label={`note at ${axisText(draft.t_ns)}`}
                placeholder={`Note at ${axisText(draft.t_ns)}`}
                rows={4}
                maxLength={MAX_LENGTH}
                value={text}
                ref={(field) => {
                    if (field && document.activeElement === document.body) field.focus();
                }}
                onInput={(event) => setText(event.currentTarget.value)}
                onKeyDown={(event) => {
                    event.stopPropagation();
                    if (event.key === 'Escape') onDraft(null);
                    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save();
                }}
            />
            {notes.error && <p class="timeline-note-error">{notes.error.text}</p>}
            <div class="timeline-note-actions">
                <button type="submit" class="primary" disabled={busy || !text.trim()}>
                    Save
                </button>
                <button type="button" class="button" onClick={() => onDraft(null)}>
                    Cancel
                </button>
            </div>
        </form>
    );
}

interface NotesListProps {
    run: Run;
    notes: Notes;
    selected: TimelineNote | null;
    onSelect: (note: TimelineNote) => void;
}

/** All notes of the run, in the pane beside the tracks or in the dock. */
export function NotesList({ run, notes, selected, onSelect }: NotesListProps) {
    return (
        <div class="timeline-part timeline-notes-list">
            <div class="timeline-part-head">
                <b>
                    Notes <span>{int(notes.rows.length)}</span>
                </b>
                <a
                    class="link"
                    href={notesPath(run)}
                    download={`notes-${run.id}.json`}
                    title="all notes as JSON"
                >
                    Export
                </a>
            </div>
            {notes.rows.map((note) => (
                <button
                    key={note.id}
                    type="button"
                    class="timeline-note-row"
                    aria-pressed={note.id === selected?.id}
                    title={note.text}
                    onClick={() => onSelect(note)}
                >
                    <span>{noteParts(note.text).title}</span> <span>{axisText(note.t_ns)}</span>
                </button>
            ))}
        </div>
    );
}
