import { MultiSelect, SegmentedControl, Select, VisuallyHidden } from '@mantine/core'
import { IconLayoutGrid, IconList } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { membersQuery } from '#admin/lib/queries.ts'
import { tagsQuery } from '#admin/media/assets.queries.ts'
import { SearchBox } from '#admin/ui/search-box.tsx'
import classes from './library.module.css'
import { type LibrarySearch, type Order, orders, withPart } from './library-search.ts'

/** Kinds of files that are offered, as `accept` says them. */
const kinds = {
  image: 'image/*',
  video: 'video/*',
  audio: 'audio/*',
  document: '.pdf,.doc,.docx,.xls,.xlsx,.ppt,.pptx,.txt,.csv,.md',
} as const

interface LibraryToolbarProps {
  p: string
  search: LibrarySearch
  /** Another list is asked for. */
  onChange: (search: LibrarySearch) => void
  /** The same list looks otherwise. */
  onView: (search: LibrarySearch) => void
}

/** Search box, kind, tags, who uploaded and who changed it, order, tiles or lines. */
export function LibraryToolbar({ p, search, onChange, onView }: LibraryToolbarProps) {
  const t = useTranslations('assets.toolbar')
  const tags = useQuery(tagsQuery(p)).data ?? []
  const members = useQuery(membersQuery(p)).data ?? []
  const people = members.map((member) => ({ value: member.accountId, label: member.name }))
  const chosenTags = search.tags ? search.tags.split(',') : []

  const set = <Name extends keyof LibrarySearch>(name: Name, value: string | null) =>
    onChange(withPart(search, name, (value || undefined) as LibrarySearch[Name] | undefined))

  return (
    <div className={classes.toolbar}>
      <SearchBox
        className={classes.search ?? ''}
        label={t('search')}
        value={search.search ?? ''}
        onSearch={(text) => set('search', text)}
      />
      <Select
        className={classes.select}
        aria-label={t('kind')}
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
        className={classes.tagFilter}
        aria-label={t('tags')}
        placeholder={chosenTags.length === 0 ? t('tags') : ''}
        searchable
        clearable
        data={[
          { value: 'none', label: t('withoutTags') },
          ...tags.map(({ _id, name }) => ({ value: _id, label: name })),
        ]}
        value={chosenTags}
        onChange={(next) => {
          // Without any tag and with one cannot both be: the one that was chosen last counts.
          const other = next.at(-1) === 'none' ? ['none'] : next.filter((one) => one !== 'none')
          set('tags', other.join(','))
        }}
      />
      <Select
        className={classes.select}
        aria-label={t('createdBy')}
        placeholder={t('createdBy')}
        clearable
        searchable
        data={people}
        value={search.createdBy ?? null}
        onChange={(value) => set('createdBy', value)}
      />
      <Select
        className={classes.select}
        aria-label={t('updatedBy')}
        placeholder={t('updatedBy')}
        clearable
        searchable
        data={people}
        value={search.updatedBy ?? null}
        onChange={(value) => set('updatedBy', value)}
      />
      <Select
        className={classes.select}
        aria-label={t('order')}
        allowDeselect={false}
        data={orders.map((value) => ({ value, label: t(`orders.${value}`) }))}
        value={search.order ?? orders[0]}
        onChange={(value) => set('order', value === orders[0] ? null : (value as Order))}
      />
      <SegmentedControl
        className={classes.views ?? ''}
        aria-label={t('view')}
        size="xs"
        value={search.view ?? 'grid'}
        onChange={(value) => onView(value === 'list' ? { ...search, view: 'list' } : withoutView(search))}
        data={[
          { value: 'grid', label: <ViewLabel icon={IconLayoutGrid} text={t('grid')} /> },
          { value: 'list', label: <ViewLabel icon={IconList} text={t('list')} /> },
        ]}
      />
    </div>
  )
}

function withoutView({ view: _, ...search }: LibrarySearch): LibrarySearch {
  return search
}

function ViewLabel({ icon: Sign, text }: { icon: typeof IconList; text: string }) {
  return (
    <>
      <Sign size={16} style={{ display: 'block', margin: '3px 2px' }} aria-hidden="true" />
      <VisuallyHidden>{text}</VisuallyHidden>
    </>
  )
}
