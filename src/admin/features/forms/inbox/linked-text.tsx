import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl'
import classes from '../forms.module.css'

/** Number of UTF-16 units of a value that are shown at first. */
const firstPart = 4_000

/** The whole of an address, without signs that usually belong to the sentence around it. */
const address = /https?:\/\/[^\s<>"'`（）「」『』【】、。]+/g

/**
 * Returns a text with its web addresses as links. The text of a link is its address, so that a visitor cannot hide the
 * target. A link passes on neither the page of the inbox nor access to its window.
 */
export function withLinks(text: string): ReactNode[] {
  const parts: ReactNode[] = []
  let end = 0
  for (const match of text.matchAll(address)) {
    const url = match[0].replace(/[.,;:!?)\]}]+$/, '')
    parts.push(text.slice(end, match.index))
    parts.push(
      <a key={match.index} href={url} target="_blank" rel="noopener noreferrer nofollow">
        {url}
      </a>,
    )
    end = match.index + url.length
  }
  parts.push(text.slice(end))
  return parts
}

/** A value with its line breaks. Long values are cut until the user asks for the rest. */
export function LinkedText({ text }: { text: string }) {
  const t = useTranslations('forms.inbox.detail')
  const [isWhole, setWhole] = useState(text.length <= firstPart)
  return (
    <span className={classes.value}>
      {withLinks(isWhole ? text : text.slice(0, firstPart))}
      {!isWhole && (
        <>
          …
          <Button variant="subtle" size="compact-xs" onClick={() => setWhole(true)}>
            {t('showAll', { count: text.length })}
          </Button>
        </>
      )}
    </span>
  )
}
