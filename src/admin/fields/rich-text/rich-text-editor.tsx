import { createDocument, Editor } from '@tiptap/core'
import { EditorContent } from '@tiptap/react'
import { BubbleMenu } from '@tiptap/react/menus'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { loadScript } from '#admin/base/reload-guard.ts'
import { useAssetRights } from '#admin/media/use-asset-rights.ts'
import type { FieldInputProps } from '../field-props.ts'
import { Notice, type NoticeContent } from '../notice.tsx'
import { pictureFiles, uploadPictures } from '../picture-files.ts'
import { caretMargins } from '../visible-part.ts'
import { AddressForm, type AddressFormValue } from './address-form.tsx'
import { blockCommands } from './blocks.ts'
import type { PasteLoss } from './clean-paste.ts'
import { richTextExtensions, withTypingRules } from './extensions.ts'
import { insertPictures, keepPlace, selectPicture } from './insert-pictures.ts'
import classes from './rich-text.module.css'
import { SlashMenu } from './slash-menu.tsx'
import { BubbleTools, Toolbar } from './toolbar.tsx'
import { insertMarkedText } from './typed-marks.ts'

const AssetPicker = lazy(async () => ({
  default: (await loadScript(() => import('#admin/media/picker/asset-picker.tsx'))).AssetPicker,
}))

/**
 * The editor of one text. It owns its content: the value is read when it starts and when it changes from outside (a
 * merge, a choice in a conflict), never while an input method is at work.
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
  const [form, setForm] = useState<'link' | 'image' | null>(null)
  const [choosing, setChoosing] = useState(false)
  const rights = useAssetRights(place.p)
  /** What the text was last known to be, here and outside. */
  const known = useRef(html)
  const callbacks = useRef({ onChange, onBlur, takeFiles })
  callbacks.current = { onChange, onBlur, takeFiles }

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

  /** Uploads pictures that come as files, and puts them where they were meant to be. */
  function takeFiles(made: Editor, event: Event, data: DataTransfer | null, at: number): boolean {
    const files = pictureFiles(data)
    if (files.length === 0) return false
    event.preventDefault()
    if (rights.upload) void upload(made, files, at)
    else setNotice({ text: t('paste.imageFile') })
    return true
  }

  async function upload(made: Editor, files: File[], start: number) {
    const kept = keepPlace(made, start)
    const assets = await uploadPictures(place.p, files)
    kept.stop()
    if (made.isDestroyed || assets.length === 0) return
    insertPictures(made, assets, kept.at())
    const silent = assets.find(({ altText }) => altText === '')
    if (!silent) return
    setNotice({
      text: t('image.noAlt'),
      action: { label: t('image.writeAlt'), run: () => selectPicture(made, silent.src) && setForm('image') },
    })
  }

  const [editor, setEditor] = useState<Editor | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; what may change later is set below.
  useEffect(() => {
    const margins = caretMargins(
      () => bar.current,
      () => foot.current,
    )
    const made: Editor = new Editor({
      extensions: richTextExtensions({
        placeholder: t('placeholder'),
        brokenPicture: (address, alt) => t('image.broken', { address, alt: alt || 'none' }),
        onPasteLoss: tellLoss,
      }),
      enableInputRules: withTypingRules,
      content: known.current,
      editable: !readOnly,
      editorProps: {
        scrollMargin: margins,
        scrollThreshold: margins,
        handleTextInput: insertMarkedText,
        handlePaste: (view, event) =>
          callbacks.current.takeFiles(made, event, event.clipboardData, view.state.selection.to),
        handleDrop: (view, event) => {
          const at = view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos
          return callbacks.current.takeFiles(made, event, event.dataTransfer, at ?? view.state.selection.to)
        },
        handleDoubleClickOn: (_view, _position, node) => {
          if (node.type.name !== 'image') return false
          setForm('image')
          return true
        },
        handleDOMEvents: {
          // ⌘Enter is the page's: the editor would swallow it like any other Enter.
          keydown: (_view, event) => event.key === 'Enter' && (event.metaKey || event.ctrlKey),
        },
        attributes: {
          id,
          role: 'textbox',
          'aria-multiline': 'true',
          'aria-labelledby': labelId,
          ...(describedBy ? { 'aria-describedby': describedBy } : {}),
        },
      },
      onUpdate: ({ editor }) => {
        known.current = htmlOf(editor)
        callbacks.current.onChange(known.current)
      },
      onBlur: () => callbacks.current.onBlur(),
    })
    setEditor(made)
    return () => made.destroy()
  }, [])

  useEffect(() => {
    editor?.setEditable(!readOnly, false)
  }, [editor, readOnly])

  // The notice about what was just pasted must not stand on it.
  useEffect(() => {
    if (notice && editor?.isFocused) editor.commands.scrollIntoView()
  }, [editor, notice])

  useEffect(() => {
    editor?.view.dom.setAttribute('aria-invalid', String(issues.length > 0))
  }, [editor, issues])

  useEffect(() => {
    if (!editor || html === known.current) return
    const take = () => {
      known.current = html
      // The server writes the same in its own way (`<br />`): the selection and what can be undone stay as they are.
      const next = createDocument(html, editor.schema)
      if (!next.eq(editor.state.doc)) editor.commands.setContent(html, { emitUpdate: false })
    }
    if (!editor.view.composing) {
      take()
      return
    }
    const { dom } = editor.view
    const later = () => setTimeout(take, 0)
    dom.addEventListener('compositionend', later, { once: true })
    return () => dom.removeEventListener('compositionend', later)
  }, [editor, html])

  const commands = useMemo(
    () =>
      blockCommands(
        () => setChoosing(true),
        () => setForm('image'),
      ),
    [],
  )

  if (!editor) return <div className={classes.editor} style={{ minHeight: 260 }} />
  const initial = form && addressAt(editor, form)
  return (
    <div className={classes.editor} data-editor data-invalid={issues.length > 0 || undefined}>
      {!readOnly && (
        <>
          <Toolbar
            ref={bar}
            editor={editor}
            commands={commands}
            onLink={() => setForm('link')}
            onImage={() => (editor.isActive('image') ? setForm('image') : setChoosing(true))}
            onSource={onSource}
          />
          <BubbleMenu
            editor={editor}
            shouldShow={({ editor, state }) =>
              !state.selection.empty && !editor.isActive('codeBlock') && !editor.view.composing
            }
            style={{ zIndex: 40 }}
          >
            <BubbleTools editor={editor} onLink={() => setForm('link')} onImage={() => setForm('image')} />
          </BubbleMenu>
          <SlashMenu editor={editor} commands={commands} />
        </>
      )}
      <EditorContent editor={editor} className={classes.content} />
      <Notice ref={foot} content={notice} onClose={() => setNotice(null)} />
      {choosing && (
        <Suspense>
          <AssetPicker
            p={place.p}
            accept="image/*"
            multiple
            onClose={(assets) => {
              setChoosing(false)
              if (assets) insertPictures(editor, assets, editor.state.selection.to)
            }}
          />
        </Suspense>
      )}
      {form && (
        <AddressForm
          kind={form}
          initial={initial ?? { address: '', text: '' }}
          existing={initial !== null}
          onClose={() => setForm(null)}
          onRemove={() => {
            if (form === 'image') editor.chain().focus().deleteSelection().run()
            else editor.chain().focus().extendMarkRange('link').unsetLink().run()
            setForm(null)
          }}
          onSubmit={({ address, text }) => {
            setForm(null)
            if (form === 'image')
              if (initial) editor.chain().focus().updateAttributes('image', { src: address, alt: text }).run()
              else editor.chain().focus().setImage({ src: address, alt: text }).run()
            else if (editor.state.selection.empty && !editor.isActive('link'))
              editor
                .chain()
                .focus()
                .insertContent({
                  type: 'text',
                  text: address,
                  marks: [{ type: 'link', attrs: { href: address } }],
                })
                .run()
            else editor.chain().focus().extendMarkRange('link').setLink({ href: address }).run()
          }}
        />
      )}
    </div>
  )
}

/** What the form begins with when there is a link or a picture at the selection; null when there is none. */
function addressAt(editor: Editor, kind: 'link' | 'image'): AddressFormValue | null {
  if (!editor.isActive(kind)) return null
  const { href, src, alt } = editor.getAttributes(kind)
  return { address: String((kind === 'link' ? href : src) ?? ''), text: String(alt ?? '') }
}

/** The text as it is kept: nothing for an empty one, without the empty paragraph that waits for the next line. */
function htmlOf(editor: Editor): string {
  return editor.isEmpty ? '' : editor.getHTML().replace(/(?:<p><\/p>)+$/, '')
}
