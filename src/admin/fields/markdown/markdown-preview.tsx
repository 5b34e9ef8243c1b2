import { useDeferredValue, useEffect, useLayoutEffect, useRef } from 'react'
import richText from '../rich-text/rich-text.module.css'
import classes from './markdown.module.css'
import { renderPreview } from './render-preview.ts'

/** Renders Markdown from a deferred value, so that typing has priority over the preview. */
export function MarkdownPreview({ text, label }: { text: string; label: string }) {
  const source = useDeferredValue(text)
  const box = useRef<HTMLElement>(null)
  useLayoutEffect(() => box.current?.replaceChildren(renderPreview(source)), [source])

  // Following a link to an anchor would change the URL of the page, so the preview scrolls instead.
  useEffect(() => {
    const { current } = box
    const follow = (event: MouseEvent) => {
      const link = event.target instanceof Element && event.target.closest('a[href^="#"]')
      if (!link) return
      event.preventDefault()
      const id = link.getAttribute('href')?.slice(1) ?? ''
      current?.querySelector(`[id="${CSS.escape(id)}"]`)?.scrollIntoView({ block: 'center' })
    }
    current?.addEventListener('click', follow)
    return () => current?.removeEventListener('click', follow)
  }, [])

  return (
    <section
      ref={box}
      className={`${classes.preview} ${richText.content} ${richText.contained}`}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the box must be scrollable without a mouse.
      tabIndex={0}
    />
  )
}
