import { Button, Menu, Text } from '@mantine/core'
import { IconBraces, IconChevronDown, IconDownload, IconTable } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import type { InboxTab } from './inbox-search.ts'

interface ExportMenuProps {
  p: string
  id: string
  tab: ExportedTab
}

/** The trash cannot be exported. */
type ExportedTab = Exclude<InboxTab, 'trash'>

/** Returns the address of an export. */
export function exportUrl(p: string, id: string, tab: ExportedTab, format: 'csv' | 'ndjson'): string {
  const state = tab === 'all' ? '' : `&state=${tab}`
  return `/api/project/${encodeURIComponent(p)}/form/${id}/message:export?format=${format}${state}`
}

/** Downloads the submissions of the open tab as a file. */
export function ExportMenu({ p, id, tab }: ExportMenuProps) {
  const t = useTranslations('forms.inbox')
  return (
    <Menu position="bottom-end" width={320}>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={15} />}
          rightSection={<IconChevronDown size={13} />}
        >
          {t('export.title')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('export.of', { tab: t(`tabs.${tab}`) })}</Menu.Label>
        {(['csv', 'ndjson'] as const).map((format) => (
          <Menu.Item
            key={format}
            component="a"
            href={exportUrl(p, id, tab, format)}
            download
            leftSection={format === 'csv' ? <IconTable size={18} /> : <IconBraces size={18} />}
          >
            <span>{t(`export.${format}.name`)}</span>
            <Text component="span" display="block" size="xs" c="dimmed">
              {t(`export.${format}.text`)}
            </Text>
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Text size="xs" c="dimmed" px="sm" py={4}>
          {t('export.note')}
        </Text>
      </Menu.Dropdown>
    </Menu>
  )
}
