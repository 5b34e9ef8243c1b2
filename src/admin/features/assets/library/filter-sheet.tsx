import { Button, Drawer, Group, Stack } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useFocusBack } from '#admin/lib/focus-back.ts'
import { LibraryFilters } from './library-filters.tsx'
import { filterParts, type LibrarySearch } from './library-search.ts'

interface FilterSheetProps {
  p: string
  search: LibrarySearch
  onChange: (search: LibrarySearch) => void
  onClose: () => void
}

/** The filters on a phone, from below. The list behind follows at once. */
export function FilterSheet({ p, search, onChange, onClose }: FilterSheetProps) {
  const t = useTranslations('assets')
  const common = useTranslations('common')
  useFocusBack()

  function clear() {
    const rest = { ...search }
    for (const part of [...filterParts, 'page', 'order'] as const) delete rest[part]
    onChange(rest)
  }

  return (
    <Drawer
      opened
      onClose={onClose}
      position="bottom"
      title={t('toolbar.filters')}
      overlayProps={{ color: '#000', backgroundOpacity: 0.3 }}
      transitionProps={{ duration: 100 }}
      closeButtonProps={{ 'aria-label': common('close') }}
      styles={{
        inner: { alignItems: 'flex-end' },
        // As high as what is in it; the list stays in sight above.
        content: { height: 'auto', maxHeight: '90dvh', borderRadius: '16px 16px 0 0' },
        title: { fontWeight: 650 },
      }}
      // The page has a banner already.
      attributes={{ header: { role: 'none' } }}
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
    </Drawer>
  )
}
