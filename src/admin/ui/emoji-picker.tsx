import { EmojiPicker as Picker } from 'frimousse'
import type { ComponentProps } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import { readEmoji } from '#shared/fields/emoji-code.ts'
import classes from './emoji-picker.module.css'

/** Emoji by group, searchable in the page's language. Imori's server delivers their names (vite.config.ts). */
export function EmojiPicker({ onChoose }: { onChoose: (emoji: string) => void }) {
  const t = useTranslations('fields.emoji')
  const locale = useLocale()
  return (
    <Picker.Root
      className={classes.root}
      locale={locale}
      emojibaseUrl="/emoji-data"
      // Only emoji that common fonts contain are offered. Users can type newer ones.
      emojiVersion={15.1}
      columns={8}
      onEmojiSelect={({ emoji }) => onChoose(readEmoji(emoji) ?? emoji)}
    >
      <Picker.Search
        className={classes.search}
        aria-label={t('search')}
        placeholder={t('search')}
        autoFocus
      />
      <Picker.Viewport className={classes.viewport}>
        <Picker.Loading className={classes.state}>{t('loading')}</Picker.Loading>
        <Picker.Empty className={classes.state}>{t('nothingFound')}</Picker.Empty>
        <Picker.List className={classes.list} components={{ CategoryHeader, Row, Emoji }} />
      </Picker.Viewport>
    </Picker.Root>
  )
}

type Parts = NonNullable<ComponentProps<typeof Picker.List>['components']>
type PropsOf<Part extends keyof Parts> = ComponentProps<NonNullable<Parts[Part]>>

function CategoryHeader({ category, ...props }: PropsOf<'CategoryHeader'>) {
  return (
    <div className={classes.category} {...props}>
      {category.label}
    </div>
  )
}

/** The library counts rows and columns from 0; ARIA counts from 1. */
const fromOne = (index: number | undefined) => (index === undefined ? undefined : index + 1)

function Row(props: PropsOf<'Row'>) {
  const counted = { ...props, 'aria-rowindex': fromOne(props['aria-rowindex']) }
  return <div className={classes.row} {...counted} />
}

function Emoji({ emoji, ...props }: PropsOf<'Emoji'>) {
  const counted = { ...props, 'aria-colindex': fromOne(props['aria-colindex']) }
  return (
    <button type="button" className={classes.emoji} {...counted}>
      {emoji.emoji}
    </button>
  )
}
