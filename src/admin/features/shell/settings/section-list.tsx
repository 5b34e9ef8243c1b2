import { TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { Link, type LinkProps } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { isComposing } from '#admin/lib/composing.ts'
import { useShortcut } from '#admin/lib/shortcuts.ts'
import { findByWords } from './find-sections.ts'
import classes from './section-list.module.css'
import type { SettingsSection } from './sections.ts'

const groups = ['general', 'people', 'security', 'integration', 'media', 'data'] as const

interface SectionListProps {
  /** The name of this settings area, such as スペースの設定. */
  label: string
  /** The sections that the user may open. */
  sections: readonly SettingsSection<unknown>[]
  params: Record<string, string>
  /** Whether the list is a separate page, which shows the sections in columns. */
  wide?: boolean
}

/**
 * The sections of a settings area in groups, with a search. `/` focuses the search box, arrow keys move through the
 * list, and Enter in the box opens the first result.
 */
export function SectionList({ label, sections, params, wide = false }: SectionListProps) {
  const t = useTranslations('settings')
  const text = useTranslations()
  const [typed, setTyped] = useState('')
  const [query, setQuery] = useState('')
  const list = useRef<HTMLElement>(null)
  const box = useRef<HTMLInputElement>(null)
  useShortcut('/', t('search'), () => box.current?.focus())

  const found = query.trim()
    ? findByWords(sections, query, ({ title, words }) => ({ name: text(title), words }))
    : null

  function show(next: string): void {
    setTyped(next)
    setQuery(next)
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (isComposing(event) || event.ctrlKey || event.metaKey || event.altKey) return
    const links = [...(list.current?.querySelectorAll('a') ?? [])]
    const at = links.indexOf(document.activeElement as HTMLAnchorElement)
    if (event.key === 'ArrowDown') links[at + 1]?.focus()
    else if (event.key === 'ArrowUp' && at >= 0) (links[at - 1] ?? box.current)?.focus()
    else if (event.key === 'Enter' && at < 0 && found) links[0]?.click()
    else if (event.key === 'Escape' && typed) {
      show('')
      box.current?.focus()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  const item = (section: SettingsSection<unknown>) => (
    <li key={section.to}>
      <Link
        {...({ to: section.to, params } as LinkProps)}
        className={classes.link}
        activeOptions={{ includeSearch: false }}
        preload="intent"
      >
        <section.icon size={18} className={classes.icon} aria-hidden="true" />
        <span>{text(section.title)}</span>
      </Link>
    </li>
  )

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the search box and the links.
    <div className={classes.area} data-wide={wide || undefined} onKeyDown={onKeyDown}>
      <TextInput
        ref={box}
        type="search"
        className={classes.search ?? ''}
        aria-label={t('search')}
        placeholder={t('search')}
        leftSection={<IconSearch size={16} />}
        value={typed}
        maxLength={100}
        onChange={({ currentTarget, nativeEvent }) => {
          setTyped(currentTarget.value)
          if (!(nativeEvent as InputEvent).isComposing) setQuery(currentTarget.value)
        }}
        onCompositionEnd={({ currentTarget }) => show(currentTarget.value)}
      />
      <nav ref={list} aria-label={label} className={classes.nav}>
        {found?.length === 0 && <p className={classes.none}>{t('none')}</p>}
        {found && <ul>{found.map(item)}</ul>}
        {!found &&
          groups.map((group) => (
            <Group
              key={group}
              title={t(`groups.${group}`)}
              items={sections.filter((section) => section.group === group).map(item)}
            />
          ))}
      </nav>
      <p className={classes.count} role="status">
        {found ? t('found', { count: found.length }) : ''}
      </p>
    </div>
  )
}

function Group({ title, items }: { title: string; items: React.ReactNode[] }) {
  const id = useId()
  if (items.length === 0) return null
  return (
    <section className={classes.group} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul>{items}</ul>
    </section>
  )
}
