import type { EditorView } from '@codemirror/view'
import { SegmentedControl, Skeleton } from '@mantine/core'
import {
  IconAsterisk,
  IconBlockquote,
  IconBold,
  IconCode,
  IconHeading,
  IconItalic,
  IconLink,
  IconList,
  IconPhoto,
} from '@tabler/icons-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { useAssetRights } from '#admin/media/use-asset-rights.ts'
import type { Asset } from '#shared/contract/assets.ts'
import { emphasisDots } from '#shared/html-policy.ts'
import { afterComposition } from '../after-composition.ts'
import { readOnlyAs, readOnlyPart, replaceText } from '../code-view.ts'
import type { FieldInputProps } from '../field-props.ts'
import { type BarGroup, type BarTool, FormatBar } from '../format-bar.tsx'
import { FullScreenButton, FullScreenFrame } from '../full-screen.tsx'
import { Notice, type NoticeContent } from '../notice.tsx'
import { uploadPictures } from '../picture-files.ts'
import { IconDotsAbove, IconReading } from '../rich-text/icons.tsx'
import richText from '../rich-text/rich-text.module.css'
import { CharacterCount } from '../text/one-text.tsx'
import {
  createMarkdownView,
  goToDescription,
  insertFootnote,
  insertLink,
  insertPictures,
  insertRuby,
  type KeptPlace,
  toggleAround,
  toggleLines,
} from './code-mirror.ts'
import classes from './markdown.module.css'

const AssetPicker = lazyPart(async () => (await import('#admin/media/picker/asset-picker.tsx')).AssetPicker)

const MarkdownPreview = lazyPart(async () => (await import('./markdown-preview.tsx')).MarkdownPreview)

type Mode = 'write' | 'both' | 'preview'

type ToolName =
  | 'heading2'
  | 'bold'
  | 'italic'
  | 'code'
  | 'link'
  | 'bulletList'
  | 'blockquote'
  | 'image'
  | 'emphasisDots'
  | 'ruby'
  | 'footnote'

function toolGroups(view: EditorView, label: (name: ToolName) => string, onImage: () => void): BarGroup[] {
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
        tool('image', IconPhoto, onImage),
      ],
    },
    {
      givesWay: 3,
      tools: [
        tool('emphasisDots', IconDotsAbove, (view) =>
          toggleAround(view, `<em class="${emphasisDots}">`, '</em>'),
        ),
        tool('ruby', IconReading, insertRuby),
        tool('footnote', IconAsterisk, insertFootnote),
      ],
    },
  ]
}

/**
 * A Markdown editor with a preview. The editor has its own copy of the text. It reads `value` at the start and when the
 * value changes from outside, but not during a composition.
 */
export function MarkdownField(props: FieldInputProps<'MARKDOWN'>) {
  const { field, readOnly, issues, id, labelId, describedBy, place } = props
  const t = useTranslations('fields.markdown')
  const image = useTranslations('fields.richText.image')
  const tools18n = useTranslations('fields.richText.tools')
  const text = typeof props.value === 'string' ? props.value : ''
  const [mode, setMode] = useState<Mode>('write')
  const host = useRef<HTMLDivElement>(null)
  const bar = useRef<HTMLDivElement>(null)
  const foot = useRef<HTMLDivElement>(null)
  const [notice, setNotice] = useState<NoticeContent | null>(null)
  const [view, setView] = useState<EditorView | null>(null)
  const known = useRef(text)
  const [choosing, setChoosing] = useState(false)
  const rights = useAssetRights(place.p)
  const callbacks = useRef({ ...props, takePictures })
  callbacks.current = { ...props, takePictures }

  /**
   * Uploads pasted or dropped pictures and inserts them at the position `kept`. Shows a notice if the user may not
   * upload files.
   */
  async function takePictures(made: EditorView, files: File[], kept: KeptPlace) {
    if (!rights.upload) setNotice({ text: t('imageFile') })
    else {
      const assets = await uploadPictures(place.p, files)
      afterComposition(made, () => putPictures(made, assets, kept.at))
    }
  }

  /** Inserts pictures and shows a notice if one lacks an alternative text. */
  function putPictures(made: EditorView, assets: readonly Asset[], at: number) {
    insertPictures(made, assets, at)
    const silent = assets.find(({ altText }) => altText === '')
    if (!silent) return
    setNotice({
      text: image('noAlt'),
      action: { label: image('writeAlt'), run: () => goToDescription(made, silent) },
    })
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is created once; later changes are applied below.
  useEffect(() => {
    const made: EditorView = createMarkdownView({
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
      onPictures: (files, kept) => void callbacks.current.takePictures(made, files, kept),
      bar: () => bar.current,
      foot: () => foot.current,
    })
    host.current?.append(made.dom)
    setView(made)
    return () => made.destroy()
  }, [])

  useEffect(
    () => view?.dispatch({ effects: readOnlyPart.reconfigure(readOnlyAs(readOnly)) }),
    [view, readOnly],
  )

  // The notice must not cover the caret.
  useEffect(() => {
    if (notice && view?.hasFocus) view.dispatch({ scrollIntoView: true })
  }, [view, notice])

  useEffect(() => {
    if (!view || text === known.current) return
    return afterComposition(view, () => {
      known.current = text
      replaceText(view, text)
    })
  }, [view, text])

  return (
    <FullScreenFrame name={field.name} foot={<CharacterCount value={text} limits={field} long />}>
      <div className={richText.editor} data-editor data-invalid={issues.length > 0 || undefined}>
        <FormatBar
          ref={bar}
          label={t('toolbar')}
          menus={0}
          groups={
            view && !readOnly && mode !== 'preview' ? toolGroups(view, tools18n, () => setChoosing(true)) : []
          }
          end={
            <>
              <SegmentedControl
                size="xs"
                aria-label={t('mode')}
                value={mode}
                onChange={(next) => setMode(next as Mode)}
                data={(['write', 'both', 'preview'] as const).map((value) => ({ value, label: t(value) }))}
              />
              <FullScreenButton />
            </>
          }
        />
        <div className={classes.panes} data-mode={mode} data-grows="inside">
          <div ref={host} className={classes.source} />
          {mode !== 'write' && (
            <Suspense fallback={<Skeleton m="md" height={200} />}>
              <MarkdownPreview text={text} label={t('previewOf', { name: field.name })} />
            </Suspense>
          )}
        </div>
        <Notice ref={foot} content={notice} onClose={() => setNotice(null)} />
        {choosing && view && (
          <Suspense>
            <AssetPicker
              p={place.p}
              accept="image/*"
              multiple
              onClose={(assets) => {
                setChoosing(false)
                if (!assets) return
                view.focus()
                putPictures(view, assets, view.state.selection.main.to)
              }}
            />
          </Suspense>
        )}
      </div>
    </FullScreenFrame>
  )
}
