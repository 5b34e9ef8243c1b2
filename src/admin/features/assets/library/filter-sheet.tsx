import { Button, Group, Stack } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useFocusBack } from '#admin/lib/focus-back.ts'
import { SideWindow } from '#admin/ui/side-window.tsx'
import { LibraryFilters } from './library-filters.tsx'
import { filterParts, type LibrarySearch } from './library-search.ts'

interface FilterSheetProps {
  p: string
  search: LibrarySearch
  onChange: (search: LibrarySearch) => void
  onClose: () => void
}

/** The filters on a phone, as a sheet from below. */
export function FilterSheet({ p, search, onChange, onClose }: FilterSheetProps) {
  const t = useTranslations('assets')
  useFocusBack()

  function clear() {
    const rest = { ...search }
    for (const part of [...filterParts, 'page', 'order'] as const) delete rest[part]
    onChange(rest)
  }

  return (
    <SideWindow
      opened
      onClose={onClose}
      position="bottom"
      title={t('toolbar.filters')}
      styles={{
        inner: { alignItems: 'flex-end' },
        // The sheet is as high as its content, so that the list stays visible above it.
        content: { height: 'auto', maxHeight: '90dvh', borderRadius: '16px 16px 0 0' },
      }}
    >
      <Stack gap="sm">
        <LibraryFilters p={p} search={search} onChange={onChange} labelled />
        <Group grow mt="xs">
          <Button variant="default" onClick={clear}>
            {t('clearFilters')}
          </Button>
          <Button onClick={onClose}>{t('toolbar.show')}</Button>
        </Group>
      </Stack>
    </SideWindow>
  )
}
