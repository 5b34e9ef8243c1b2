import { Badge, Button, Code, Group, Stack, Table, Text } from '@mantine/core'
import { useFormatter, useTranslations } from 'use-intl'
import { useFocusBack } from '#admin/lib/focus-back.ts'
import { Fact, Facts } from '#admin/ui/facts.tsx'
import { SideWindow } from '#admin/ui/side-window.tsx'
import type { AuditEntry } from '#shared/contract/audit-log.ts'
import classes from './audit-log.module.css'
import type { AuditSearch } from './audit-log.queries.ts'
import { useEntryWords } from './use-entry-words.ts'

interface EntryDrawerProps {
  entry: AuditEntry
  onClose: () => void
  /** Called with new filters for the list. */
  onSearch: (search: AuditSearch) => void
}

/** All details of one entry. */
export function EntryDrawer({ entry, onClose, onSearch }: EntryDrawerProps) {
  const t = useTranslations('auditLog')
  const format = useFormatter()
  const words = useEntryWords()
  useFocusBack()
  const { changes = [], items, route, ...facts } = entry.details
  const at = format.dateTime(new Date(entry.at), { dateStyle: 'full', timeStyle: 'long' })
  const look = (search: AuditSearch) => {
    onClose()
    onSearch(search)
  }

  return (
    <SideWindow opened onClose={onClose} size="lg" title={words.act(entry)}>
      <Stack gap="lg">
        {entry.outcome !== 'done' && (
          <div>
            <Badge color="red" variant="light" mb={4}>
              {t('refused')}
            </Badge>
            <Text size="sm">{words.outcome(entry)}</Text>
          </div>
        )}
        <Facts>
          <Fact name={t('drawer.at')}>{at}</Fact>
          <Fact name={t('drawer.actor')}>
            {words.actor(entry)}
            {entry.actor._id && <Code>{entry.actor._id}</Code>}
          </Fact>
          <Fact name={words.kind(entry)}>
            {words.object(entry) || t('none')}
            {entry.object._id && <Code>{entry.object._id}</Code>}
          </Fact>
          {entry.ip && <Fact name={t('drawer.ip')}>{entry.ip}</Fact>}
          {entry.userAgent && <Fact name={t('drawer.userAgent')}>{entry.userAgent}</Fact>}
          {route && (
            <Fact name={t('drawer.route')}>
              <Code>{route}</Code>
            </Fact>
          )}
          {Object.entries(facts).map(([key, value]) => (
            <Fact key={key} name={words.key(key)}>
              {words.value(value, key)}
            </Fact>
          ))}
          {items && (
            <Fact name={t('drawer.items')}>
              {t('drawer.itemCount', { count: items.count, failed: items.failed })}
              <span className={classes.ids}>{items.ids.join(' ')}</span>
            </Fact>
          )}
        </Facts>
        {changes.length > 0 && (
          <Table className={classes.changes ?? ''} verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('drawer.changed')}</Table.Th>
                <Table.Th>{t('drawer.before')}</Table.Th>
                <Table.Th>{t('drawer.after')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changes.map(({ key, before, after }) => (
                <Table.Tr key={key}>
                  <Table.Th scope="row">{words.key(key)}</Table.Th>
                  <Table.Td>{words.value(before)}</Table.Td>
                  <Table.Td>{words.value(after)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        <Group gap="sm">
          {entry.object._id && (
            <Button variant="default" onClick={() => look({ object: entry.object._id as string })}>
              {t('drawer.sameObject')}
            </Button>
          )}
          {entry.actor._id && (
            <Button variant="default" onClick={() => look({ person: entry.actor._id as string })}>
              {t('drawer.samePerson')}
            </Button>
          )}
        </Group>
      </Stack>
    </SideWindow>
  )
}
