import { createDocument, Editor } from '@tiptap/core'
import { EditorContent } from '@tiptap/react'
import { Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { loadScript } from '#admin/base/reload-guard.ts'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { useAssetRights } from '#admin/media/use-asset-rights.ts'
import { afterComposition } from '../after-composition.ts'
import type { FieldInputProps } from '../field-props.ts'
import { Notice, type NoticeContent } from '../notice.tsx'
import { pictureFiles, uploadPictures } from '../picture-files.ts'
import { caretMargins, isFullScreen } from '../visible-part.ts'
import { blockCommands } from './blocks.ts'
import type { PasteLoss } from './clean-paste.ts'
import { LinkedDocuments } from './document-links.tsx'
import type { EditorDialog } from './editor-dialogs.tsx'
import { embeddableAddress, embedHtml, insertEmbed } from './embeds.ts'
import { richTextExtensions, withTypingRules } from './extensions.ts'
import { IncomingPictures } from './incoming-pictures.ts'
import { insertPictures, keepPlace } from './insert-pictures.ts'
import classes from './rich-text.module.css'
import { SlashMenu } from './slash-menu.tsx'
import { Toolbar } from './toolbar.tsx'
import { insertMarkedText } from './typed-marks.ts'
import { writtenHtml } from './written-html.ts'

const EditorDialogs = lazyPart(async () => (await import('./editor-dialogs.tsx')).EditorDialogs)

const SelectionMenu = lazyPart(async () => (await import('./selection-menu.tsx')).SelectionMenu)

/**
 * The rich text editor. It has its own copy of the content. It reads `value` at the start and when the value changes
 * from outside (a merge, a choice in a conflict), but not during a composition.
 */
export function RichTextEditor({
  value,
  onChange,
  onBlur,
  readOnly,
  issues,
  id,
  labelId,
  describedBy,
  place,
  onSource,
  firstNotice,
}: FieldInputProps<'RICH_TEXT'> & { onSource: () => void; firstNotice: NoticeContent | null }) {
  const t = useTranslations('fields.richText')
  const format = useFormatter()
  const [notice, setNotice] = useState(firstNotice)
  const bar = useRef<HTMLDivElement>(null)
  const foot = useRef<HTMLDivElement>(null)
  const html = typeof value === 'string' ? value : ''
  const [dialog, setDialog] = useState<EditorDialog | null>(null)
  /** URL of the picture that failed to load and that the user last chose to replace; null before the first choice. */
  const broken = useRef<string | null>(null)
  const rights = useAssetRights(place.p)
  /** The HTML that was last received from or passed to the form. */
  const known = useRef(html)
  /** The value as it was read, and as the editor serialises it. Unchanged text is saved as it was read. */
  const origin = useRef({ value: html, written: html })
  const [incoming] = useState(() => new IncomingPictures())
  const callbacks = useRef({ onChange, onBlur, takeFiles, pasted, mayUpload: rights.upload })
  callbacks.current = { onChange, onBlur, takeFiles, pasted, mayUpload: rights.upload }

  function tellLoss({ pictures, embeds }: PasteLoss) {
    const lost = [
      ...(pictures > 0 ? [t('paste.pictures', { count: pictures })] : []),
      ...(embeds.length > 0 ? [t('paste.embeds', { names: format.list(embeds) })] : []),
    ]
    const linked = embeds.some((name) => name.startsWith('http'))
    setNotice({
      text: t('paste.lost', { lost: lost.join(t('paste.separator')) }) + (linked ? t('paste.linked') : ''),
    })
  }

  /** Runs after a paste. Uploads its pictures and offers to embed a pasted URL. */
  function pasted(made: Editor, text: string) {
    void incoming.bring(made, place.p).then((count) => {
      if (count > 0) tellLoss({ pictures: count, embeds: [] })
    })
    const url = embeddableAddress(text)
    const line = url === null ? null : lineOf(made, url)
    if (url === null || line === null) return
    setNotice({
      text: t('embed.offer'),
      action: { label: t('embed.accept'), run: () => void embed(made, url, line) },
    })
  }

  /** Replaces a URL by an embed if it is the only text of its line. */
  async function embed(made: Editor, url: string, line: number) {
    const kept = keepPlace(made, line, 'behind')
    const { askForEmbedCode, embedProblem } = await loadScript(() => import('../embed/use-embed-code.ts'))
    try {
      const { code } = await askForEmbedCode(url)
      const html = embedHtml(code, url)
      const at = kept.at()
      const node = made.state.doc.nodeAt(at)
      if (made.isDestroyed || !node || node.textContent !== url) return
      if (html === null) setNotice({ text: t('embed.nothing') })
      else insertEmbed(made, html, { from: at, to: at + node.nodeSize })
    } catch (error) {
      setNotice({ text: embedProblem(error) })
    } finally {
      kept.stop()
    }
  }

  /**
   * Uploads picture files and inserts them at the given position, or shows a notice if the user may not upload. Returns
   * whether `data` contains picture files.
   */
  function takeFiles(made: Editor, event: Event, data: DataTransfer | null, at: number): boolean {
    const files = pictureFiles(data)
    if (files.length === 0) return false
    event.preventDefault()
    if (rights.upload) void upload(made, files, at)
    else setNotice({ text: t('paste.imageFile') })
    return true
  }

  async function upload(made: Editor, files: File[], start: number) {
    const kept = keepPlace(made, start, 'before')
    const assets = await uploadPictures(place.p, files)
    if (made.isDestroyed) return
    afterComposition(made.view, () => {
      kept.stop()
      if (!made.isDestroyed) insertPictures(made, assets, kept.at())
    })
  }

  const [editor, setEditor] = useState<Editor | null>(null)
  /** Whether text was ever selected. The selection menu is then loaded. */
  const [hasSelected, setHasSelected] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is created once; changes are applied below.
  useEffect(() => {
    const margins = caretMargins(
      () => bar.current,
      () => foot.current,
    )
    const made: Editor = new Editor({
      extensions: richTextExtensions({
        placeholder: t('placeholder'),
        pictures: {
          broken: (address, alt) => t('image.broken', { address, alt: alt || 'none' }),
          replace: {
            label: t('image.replace'),
            run: (address) => {
              broken.current = address
              setDialog('replacement')
            },
          },
          describe: {
            label: t('image.altMissing'),
            hint: t('image.writeAlt'),
            run: () => setDialog('image'),
          },
        },
        onPasteLoss: tellLoss,
        pasteSources: () => ({
          pictures: incoming.inClipboard(),
          ...(callbacks.current.mayUpload ? { take: (source) => incoming.take(source) } : {}),
        }),
        backToText: t('footnote.back'),
        linkState: (state) => t(`link.states.${state}`),
        ask: setDialog,
      }),
      enableInputRules: withTypingRules,
      content: known.current,
      editable: !readOnly,
      editorProps: {
        scrollMargin: margins,
        scrollThreshold: margins,
        handleTextInput: insertMarkedText,
        handlePaste: (view, event) => {
          const text = event.clipboardData?.getData('text/plain') ?? ''
          // Runs after the paste has been applied.
          setTimeout(() => made.isDestroyed || callbacks.current.pasted(made, text), 0)
          return callbacks.current.takeFiles(made, event, event.clipboardData, view.state.selection.to)
        },
        handleDrop: (view, event) => {
          if (pictureFiles(event.dataTransfer).length === 0) return false
          // The caret moves to the drop position, so that typing continues after the pictures.
          const at = view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos
          made.commands.focus(at === undefined ? null : at)
          return callbacks.current.takeFiles(made, event, event.dataTransfer, at ?? view.state.selection.to)
        },
        handleDoubleClickOn: (_view, _position, node) => {
          const form = node.type.name
          if (form !== 'image' && form !== 'ruby') return false
          setDialog(form)
          return true
        },
        handleDOMEvents: {
          paste: (_view, event) => incoming.begin(event.clipboardData),
          // Keys that the editor must leave to the page. ⌘Enter publishes, and Escape leaves full screen unless the
          // slash menu is open.
          keydown: ({ dom }, event) =>
            event.key === 'Escape'
              ? !made.storage.slashMenu.current && isFullScreen(dom)
              : event.key === 'Enter' && (event.metaKey || event.ctrlKey),
        },
        attributes: {
          id,
          class: classes.contained ?? '',
          role: 'textbox',
          'aria-multiline': 'true',
          'aria-labelledby': labelId,
          ...(describedBy ? { 'aria-describedby': describedBy } : {}),
        },
      },
      onUpdate: ({ editor }) => {
        const { value, written } = origin.current
        const now = incoming.settled(writtenHtml(editor))
        known.current = now === written ? value : now
        callbacks.current.onChange(known.current)
      },
      onSelectionUpdate: ({ editor }) => editor.state.selection.empty || setHasSelected(true),
      onBlur: () => callbacks.current.onBlur(),
    })
    incoming.watch(made)
    origin.current.written = writtenHtml(made)
    setEditor(made)
    return () => made.destroy()
  }, [])

  // A layout effect runs before the content is removed from the page. Without their node views, embeds would load their
  // frames.
  useLayoutEffect(() => () => editor?.destroy(), [editor])

  useEffect(() => {
    editor?.setEditable(!readOnly, false)
  }, [editor, readOnly])

  // The notice must not cover the caret.
  useEffect(() => {
    if (notice && editor?.isFocused) editor.commands.scrollIntoView()
  }, [editor, notice])

  useEffect(() => {
    editor?.view.dom.setAttribute('aria-invalid', String(issues.length > 0))
  }, [editor, issues])

  useEffect(() => {
    if (!editor || html === known.current) return
    return afterComposition(editor.view, () => {
      known.current = html
      // The server may serialise the content differently (`<br />`). In that case selection and undo history are kept.
      const next = createDocument(html, editor.schema)
      if (!next.eq(editor.state.doc)) editor.commands.setContent(html, { emitUpdate: false })
      origin.current = { value: html, written: writtenHtml(editor) }
    })
  }, [editor, html])

  const commands = useMemo(() => blockCommands(setDialog), [])

  if (!editor) return <div className={classes.editor} style={{ minHeight: 260 }} />
  return (
    <div className={classes.editor} data-editor data-invalid={issues.length > 0 || undefined}>
      {!readOnly && (
        <>
          <Toolbar ref={bar} editor={editor} commands={commands} ask={setDialog} onSource={onSource} />
          {hasSelected && (
            <Suspense>
              <SelectionMenu editor={editor} ask={setDialog} bar={bar} />
            </Suspense>
          )}
          <SlashMenu editor={editor} commands={commands} />
        </>
      )}
      <EditorContent editor={editor} className={classes.content} data-grows="text" />
      <LinkedDocuments editor={editor} place={place} />
      <Notice ref={foot} content={notice} onClose={() => setNotice(null)} />
      {dialog && (
        <Suspense>
          <EditorDialogs
            editor={editor}
            place={place}
            dialog={dialog}
            broken={broken.current}
            onClose={() => setDialog(null)}
          />
        </Suspense>
      )}
    </div>
  )
}

/** Returns the start of the selection's paragraph if `text` is the whole text of the paragraph; otherwise null. */
function lineOf({ state: { selection } }: Editor, text: string): number | null {
  const { parent, depth } = selection.$from
  return depth > 0 && parent.textContent === text && parent.type.name === 'paragraph'
    ? selection.$from.before(depth)
    : null
}
