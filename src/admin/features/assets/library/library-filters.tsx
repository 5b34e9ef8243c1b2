import { MultiSelect, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { usePeople } from '#admin/lib/use-people.ts'
import { tagsQuery } from '#admin/media/assets.queries.ts'
import classes from './library.module.css'
import { type LibrarySearch, type Order, orders, withPart } from './library-search.ts'

/** The offered kinds of files, as values of `accept`. */
const kinds = {
  image: 'image/*',
  video: 'video/*',
  audio: 'audio/*',
  document: '.pdf,.doc,.docx,.xls,.xlsx,.ppt,.pptx,.txt,.csv,.md',
} as const

interface LibraryFiltersProps {
  p: string
  search: LibrarySearch
  onChange: (search: LibrarySearch) => void
  /** Whether labels are above the inputs, as in a form, instead of inside them. */
  labelled?: boolean
}

/** Inputs for kind, tags, uploader, last editor and order. */
export function LibraryFilters({ p, search, onChange, labelled = false }: LibraryFiltersProps) {
  const t = useTranslations('assets.toolbar')
  const tags = useQuery(tagsQuery(p)).data ?? []
  const people = { createdBy: usePeople(p, search.createdBy), updatedBy: usePeople(p, search.updatedBy) }
  const chosenTags = search.tags ? search.tags.split(',') : []

  const set = <Name extends keyof LibrarySearch>(name: Name, value: string | null) =>
    onChange(withPart(search, name, (value || undefined) as LibrarySearch[Name] | undefined))
  const named = (name: string, className = classes.select) =>
    labelled ? { label: name } : { 'aria-label': name, className: className ?? '' }

  return (
    <>
      <Select
        {...named(t('kind'))}
        placeholder={t('allKinds')}
        clearable
        data={Object.entries(kinds).map(([kind, value]) => ({
          value,
          label: t(`kinds.${kind as keyof typeof kinds}`),
        }))}
        value={search.accept ?? null}
        onChange={(value) => set('accept', value)}
      />
      <MultiSelect
        {...named(t('tags'), classes.tagFilter)}
        placeholder={chosenTags.length === 0 ? t(labelled ? 'anyTags' : 'tags') : ''}
        searchable
        clearable
        data={[
          { value: 'none', label: t('withoutTags') },
          ...tags.map(({ _id, name }) => ({ value: _id, label: name })),
        ]}
        value={chosenTags}
        onChange={(next) => {
          // "No tag" and other tags exclude each other. The last selection applies.
          const other = next.at(-1) === 'none' ? ['none'] : next.filter((one) => one !== 'none')
          set('tags', other.join(','))
        }}
      />
      {(['createdBy', 'updatedBy'] as const).map((name) => (
        <Select
          key={name}
          {...named(t(name))}
          placeholder={t(labelled ? 'anybody' : name)}
          {...people[name].select}
          clearable
          data={people[name].data}
          value={search[name] ?? null}
          onChange={(value) => set(name, value)}
        />
      ))}
      <Select
        {...named(t('order'))}
        allowDeselect={false}
        data={orders.map((value) => ({ value, label: t(`orders.${value}`) }))}
        value={search.order ?? orders[0]}
        onChange={(value) => set('order', value === orders[0] ? null : (value as Order))}
      />
    </>
  )
}
