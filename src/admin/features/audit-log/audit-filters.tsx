import { Button, Select, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { usePeople } from '#admin/lib/use-people.ts'
import { SearchBox } from '#admin/ui/search-box.tsx'
import { auditObjects } from '#shared/audit.ts'
import classes from './audit-log.module.css'
import type { AuditSearch } from './audit-log.queries.ts'

interface AuditFiltersProps {
  /** Uid of the space. null: the installation's log, which has no members to choose from. */
  p: string | null
  search: AuditSearch
  onChange: (search: AuditSearch) => void
}

/** Filters by text, user, kind of object, outcome, time and single object, combined with AND. */
export function AuditFilters({ p, search, onChange }: AuditFiltersProps) {
  const t = useTranslations('auditLog')
  const people = usePeople(p, search.person)
  const data = [...people.data]
  // Former members are not listed, but the log still has their entries.
  if (search.person && !people.isKnown)
    data.push({ value: search.person, label: t('filters.formerPerson', { id: search.person.slice(-6) }) })
  const set = (part: keyof AuditSearch, value: string | null) => {
    const { [part]: _, ...rest } = search
    onChange(value ? ({ ...rest, [part]: value } as AuditSearch) : rest)
  }
  const narrowed = Object.keys(search).length > 0

  return (
    <search className={classes.filters}>
      <SearchBox
        className={classes.search ?? ''}
        label={t('filters.search')}
        value={search.search ?? ''}
        onSearch={(text) => set('search', text)}
      />
      {(p !== null || search.person) && (
        <Select
          label={t('filters.person')}
          placeholder={t('filters.everybody')}
          {...people.select}
          data={data}
          value={search.person ?? null}
          onChange={(value) => set('person', value)}
          clearable
          clearButtonProps={{ 'aria-label': t('filters.clearOne') }}
        />
      )}
      <Select
        label={t('filters.kind')}
        placeholder={t('filters.everything')}
        data={auditObjects.map((value) => ({ value, label: t(`kinds.${value}`) }))}
        value={search.kind ?? null}
        onChange={(value) => set('kind', value)}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('filters.clearOne') }}
      />
      <Select
        label={t('filters.outcome')}
        placeholder={t('filters.everything')}
        data={(['done', 'refused'] as const).map((value) => ({ value, label: t(`outcomes.${value}`) }))}
        value={search.outcome ?? null}
        onChange={(value) => set('outcome', value)}
        clearable
        clearButtonProps={{ 'aria-label': t('filters.clearOne') }}
      />
      <TextInput
        type="date"
        label={t('filters.from')}
        value={search.from ?? ''}
        max={search.to}
        onChange={(event) => set('from', event.currentTarget.value)}
      />
      <TextInput
        type="date"
        label={t('filters.to')}
        value={search.to ?? ''}
        min={search.from}
        onChange={(event) => set('to', event.currentTarget.value)}
      />
      {search.object && (
        <Button variant="light" rightSection={<IconX size={14} />} onClick={() => set('object', null)}>
          {t('filters.oneObject')}
        </Button>
      )}
      {narrowed && (
        <Button variant="subtle" color="gray" onClick={() => onChange({})}>
          {t('filters.clear')}
        </Button>
      )}
    </search>
  )
}
