import { Badge, Button, SegmentedControl, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconFilter, IconLayoutGrid, IconList } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { SearchBox } from '#admin/ui/search-box.tsx'
import classes from './library.module.css'
import { LibraryFilters } from './library-filters.tsx'
import { filterParts, type LibrarySearch, withPart } from './library-search.ts'

const FilterSheet = lazyPart(async () => (await import('./filter-sheet.tsx')).FilterSheet)

interface LibraryToolbarProps {
  p: string
  search: LibrarySearch
  /** Called when the search, a filter or the order changes. */
  onChange: (search: LibrarySearch) => void
  /** Called when only the layout (grid or list) changes. */
  onView: (search: LibrarySearch) => void
}

/** The toolbar: search, filters and order, grid or list. On a phone, a button opens filters and order. */
export function LibraryToolbar({ p, search, onChange, onView }: LibraryToolbarProps) {
  const t = useTranslations('assets.toolbar')
  const compact = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false }) ?? false
  const [filtering, setFiltering] = useState(false)
  const narrowing = filterParts.filter((part) => search[part] !== undefined).length

  return (
    <div className={classes.toolbar}>
      <SearchBox
        className={classes.search ?? ''}
        label={t('search')}
        value={search.search ?? ''}
        onSearch={(text) => onChange(withPart(search, 'search', text || undefined))}
      />
      {compact ? (
        <Button
          variant="default"
          leftSection={<IconFilter size={16} />}
          rightSection={
            narrowing > 0 && (
              <Badge size="sm" circle aria-label={t('filterCount', { count: narrowing })}>
                {narrowing}
              </Badge>
            )
          }
          aria-haspopup="dialog"
          onClick={() => setFiltering(true)}
        >
          {t('filters')}
        </Button>
      ) : (
        <LibraryFilters p={p} search={search} onChange={onChange} />
      )}
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
      {compact && filtering && (
        <Suspense>
          <FilterSheet p={p} search={search} onChange={onChange} onClose={() => setFiltering(false)} />
        </Suspense>
      )}
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
