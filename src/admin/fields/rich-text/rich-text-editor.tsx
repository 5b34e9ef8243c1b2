import { Editor } from '@tiptap/core'
import { EditorContent } from '@tiptap/react'
import { BubbleMenu } from '@tiptap/react/menus'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { FieldInputProps } from '../field-props.ts'
import { AddressForm } from './address-form.tsx'
import { blockCommands } from './blocks.ts'
import { richTextExtensions } from './extensions.ts'
import classes from './rich-text.module.css'
import { SlashMenu } from './slash-menu.tsx'
import { BubbleTools, Toolbar } from './toolbar.tsx'

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
  onSource,
}: FieldInputProps<'RICH_TEXT'> & { onSource: () => void }) {
  const t = useTranslations('fields.richText')
  const html = typeof value === 'string' ? value : ''
  const [form, setForm] = useState<'link' | 'image' | null>(null)
  /** What the text was last known to be, here and outside. */
  const known = useRef(html)
  const callbacks = useRef({ onChange, onBlur })
  callbacks.current = { onChange, onBlur }

  const placeholder = t('placeholder')
  const [editor, setEditor] = useState<Editor | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; what may change later is set below.
  useEffect(() => {
    const made = new Editor({
      extensions: richTextExtensions({ placeholder }),
      content: known.current,
      editable: !readOnly,
      editorProps: {
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

  useEffect(() => {
    editor?.view.dom.setAttribute('aria-invalid', String(issues.length > 0))
  }, [editor, issues])

  useEffect(() => {
    if (!editor || html === known.current) return
    const take = () => {
      known.current = html
      editor.commands.setContent(html, { emitUpdate: false })
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

  const commands = useMemo(() => blockCommands(() => setForm('image')), [])

  if (!editor) return <div className={classes.editor} style={{ minHeight: 260 }} />
  const link = editor.getAttributes('link')
  return (
    <div className={classes.editor} data-invalid={issues.length > 0 || undefined}>
      {!readOnly && (
        <>
          <Toolbar
            editor={editor}
            commands={commands}
            onLink={() => setForm('link')}
            onImage={() => setForm('image')}
            onSource={onSource}
          />
          <BubbleMenu
            editor={editor}
            shouldShow={({ editor, state }) =>
              !state.selection.empty &&
              !editor.isActive('image') &&
              !editor.isActive('codeBlock') &&
              !editor.view.composing
            }
            style={{ zIndex: 40 }}
          >
            <BubbleTools editor={editor} onLink={() => setForm('link')} />
          </BubbleMenu>
          <SlashMenu editor={editor} commands={commands} />
        </>
      )}
      <EditorContent editor={editor} className={classes.content} />
      {form && (
        <AddressForm
          kind={form}
          initial={{ address: form === 'link' && typeof link.href === 'string' ? link.href : '', text: '' }}
          removable={form === 'link' && editor.isActive('link')}
          onClose={() => setForm(null)}
          onRemove={() => {
            editor.chain().focus().extendMarkRange('link').unsetLink().run()
            setForm(null)
          }}
          onSubmit={({ address, text }) => {
            setForm(null)
            if (form === 'image') editor.chain().focus().setImage({ src: address, alt: text }).run()
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

/** The text as it is kept: nothing for an empty one, without the empty paragraph that waits for the next line. */
function htmlOf(editor: Editor): string {
  return editor.isEmpty ? '' : editor.getHTML().replace(/(?:<p><\/p>)+$/, '')
}
