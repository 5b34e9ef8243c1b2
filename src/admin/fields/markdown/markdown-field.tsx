import type { EditorView } from '@codemirror/view'
import { SegmentedControl } from '@mantine/core'
import {
  IconBlockquote,
  IconBold,
  IconCode,
  IconHeading,
  IconItalic,
  IconLink,
  IconList,
} from '@tabler/icons-react'
import { useDeferredValue, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { FieldInputProps } from '../field-props.ts'
import { type BarGroup, type BarTool, FormatBar } from '../format-bar.tsx'
import { Notice, type NoticeContent } from '../notice.tsx'
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

type ToolName = 'heading2' | 'bold' | 'italic' | 'code' | 'link' | 'bulletList' | 'blockquote'

function toolGroups(view: EditorView, label: (name: ToolName) => string): BarGroup[] {
  const tool = (id: ToolName, icon: BarTool['icon'], run: (view: EditorView) => void) => ({
    id,
    icon,
    label: label(id),
    run: () => run(view),
  })
  return [
    {
      givesWay: 0,
      tools: [
        tool('heading2', IconHeading, (view) => toggleLines(view, '## ')),
        tool('bold', IconBold, (view) => toggleAround(view, '**')),
        tool('italic', IconItalic, (view) => toggleAround(view, '*')),
      ],
    },
    {
      givesWay: 1,
      tools: [tool('link', IconLink, insertLink), tool('code', IconCode, (view) => toggleAround(view, '`'))],
    },
    {
      givesWay: 2,
      tools: [
        tool('bulletList', IconList, (view) => toggleLines(view, '- ')),
        tool('blockquote', IconBlockquote, (view) => toggleLines(view, '> ')),
      ],
    },
  ]
}

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
  const bar = useRef<HTMLDivElement>(null)
  const [notice, setNotice] = useState<NoticeContent | null>(null)
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
      onImageFile: () => setNotice({ text: t('imageFile') }),
      bar: () => bar.current,
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
      <div className={richText.editor} data-editor data-invalid={issues.length > 0 || undefined}>
        <FormatBar
          ref={bar}
          label={t('toolbar')}
          menus={0}
          groups={view && !readOnly && mode !== 'preview' ? toolGroups(view, (name) => tools18n(name)) : []}
          end={
            <SegmentedControl
              size="xs"
              aria-label={t('mode')}
              value={mode}
              onChange={(next) => setMode(next as Mode)}
              data={(['write', 'both', 'preview'] as const).map((value) => ({ value, label: t(value) }))}
            />
          }
        />
        <div className={classes.panes} data-mode={mode}>
          <div ref={host} className={classes.source} />
          {mode !== 'write' && <Preview text={text} label={t('previewOf', { name: field.name })} />}
        </div>
        <Notice content={notice} onClose={() => setNotice(null)} />
      </div>
      <CharacterCount value={text} limits={field} />
    </>
  )
}

/** Follows the text at its own pace: typing never waits for it. */
function Preview({ text, label }: { text: string; label: string }) {
  const source = useDeferredValue(text)
  const box = useRef<HTMLElement>(null)
  useLayoutEffect(() => box.current?.replaceChildren(renderPreview(source)), [source])
  return (
    <section
      ref={box}
      className={`${classes.preview} ${richText.content}`}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must do so without a mouse.
      tabIndex={0}
    />
  )
}
