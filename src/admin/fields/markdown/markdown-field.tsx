import type { EditorView } from '@codemirror/view'
import { ActionIcon, SegmentedControl, Tooltip } from '@mantine/core'
import {
  IconBlockquote,
  IconBold,
  IconCode,
  IconHeading,
  IconItalic,
  IconLink,
  IconList,
} from '@tabler/icons-react'
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { FieldInputProps } from '../field-props.ts'
import richText from '../rich-text/rich-text.module.css'
import { CharacterCount } from '../text/one-text.tsx'
import {
  createMarkdownView,
  insertLink,
  readOnlyAs,
  readOnlyPart,
  replaceText,
  toggleAround,
  toggleLines,
} from './code-mirror.ts'
import classes from './markdown.module.css'
import { renderPreview } from './render-preview.ts'

type Mode = 'write' | 'both' | 'preview'

const tools = [
  { id: 'heading2', icon: IconHeading, run: (view: EditorView) => toggleLines(view, '## ') },
  { id: 'bold', icon: IconBold, run: (view: EditorView) => toggleAround(view, '**') },
  { id: 'italic', icon: IconItalic, run: (view: EditorView) => toggleAround(view, '*') },
  { id: 'code', icon: IconCode, run: (view: EditorView) => toggleAround(view, '`') },
  { id: 'link', icon: IconLink, run: insertLink },
  { id: 'bulletList', icon: IconList, run: (view: EditorView) => toggleLines(view, '- ') },
  { id: 'blockquote', icon: IconBlockquote, run: (view: EditorView) => toggleLines(view, '> ') },
] as const

/**
 * Markdown with its preview beside it. The editor owns its text: the value is read when it starts and when it changes
 * from outside, never while an input method is at work.
 */
export function MarkdownField(props: FieldInputProps<'MARKDOWN'>) {
  const { field, readOnly, issues, id, labelId, describedBy } = props
  const t = useTranslations('fields.markdown')
  const tools18n = useTranslations('fields.richText.tools')
  const text = typeof props.value === 'string' ? props.value : ''
  const [mode, setMode] = useState<Mode>('write')
  const host = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<EditorView | null>(null)
  const known = useRef(text)
  const callbacks = useRef(props)
  callbacks.current = props

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; what may change later is set below.
  useEffect(() => {
    const made = createMarkdownView({
      doc: known.current,
      readOnly,
      placeholder: t('placeholder'),
      attributes: {
        id,
        'aria-labelledby': labelId,
        ...(describedBy ? { 'aria-describedby': describedBy } : {}),
      },
      onChange: (next) => {
        known.current = next
        callbacks.current.onChange(next)
      },
      onBlur: () => callbacks.current.onBlur(),
    })
    host.current?.append(made.dom)
    setView(made)
    return () => made.destroy()
  }, [])

  useEffect(
    () => view?.dispatch({ effects: readOnlyPart.reconfigure(readOnlyAs(readOnly)) }),
    [view, readOnly],
  )

  useEffect(() => {
    if (!view || text === known.current) return
    const take = () => {
      known.current = text
      replaceText(view, text)
    }
    if (!view.composing) {
      take()
      return
    }
    const later = () => setTimeout(take, 0)
    view.contentDOM.addEventListener('compositionend', later, { once: true })
    return () => view.contentDOM.removeEventListener('compositionend', later)
  }, [view, text])

  return (
    <>
      <div className={richText.editor} data-invalid={issues.length > 0 || undefined}>
        <div className={richText.toolbar}>
          {!readOnly &&
            mode !== 'preview' &&
            tools.map(({ id: name, icon: Icon, run }) => (
              <Tooltip key={name} label={tools18n(name)}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={30}
                  aria-label={tools18n(name)}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => view && run(view)}
                >
                  <Icon size={17} />
                </ActionIcon>
              </Tooltip>
            ))}
          <SegmentedControl
            className={classes.modes}
            size="xs"
            aria-label={t('mode')}
            value={mode}
            onChange={(next) => setMode(next as Mode)}
            data={(['write', 'both', 'preview'] as const).map((value) => ({ value, label: t(value) }))}
          />
        </div>
        <div className={classes.panes} data-mode={mode}>
          <div ref={host} className={classes.source} />
          {mode !== 'write' && <Preview text={text} label={t('previewOf', { name: field.name })} />}
        </div>
      </div>
      <CharacterCount value={text} limits={field} />
    </>
  )
}

/** Follows the text at its own pace: typing never waits for it. */
function Preview({ text, label }: { text: string; label: string }) {
  const source = useDeferredValue(text)
  const html = useMemo(() => renderPreview(source), [source])
  return (
    <section
      className={`${classes.preview} ${richText.content}`}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must do so without a mouse.
      tabIndex={0}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: markdown-it without raw HTML made it (render-preview.ts).
      dangerouslySetInnerHTML={{ __html: html }}
    />
  )
}
