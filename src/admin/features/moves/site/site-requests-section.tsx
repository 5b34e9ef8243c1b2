import { Loader, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { Section } from '#admin/ui/section.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import classes from '../moves.module.css'
import { siteRequestsQuery } from './site-requests.queries.ts'

/**
 * The sites and programs that read the app, so that users can verify a redirected site. `name`: the app's name if there
 * are several.
 */
export function SiteRequestsSection({ p, app, name }: { p: string; app: string; name?: string }) {
  const t = useTranslations('siteRequests')
  const format = useFormatter()
  const { data: requests, error, refetch } = useQuery(siteRequestsQuery(p, app))
  return (
    <Section title={name ? t('titleOf', { name }) : t('title')} description={t('text')}>
      {!requests && error && <ErrorState error={error} retry={() => void refetch()} />}
      {!requests && !error && <SkeletonList rows={2} />}
      <div aria-live="polite">
        {requests?.length === 0 && (
          <Text size="sm" c="dimmed">
            <Loader size={12} mr="xs" aria-hidden />
            {t('none')}
          </Text>
        )}
      </div>
      {requests && requests.length > 0 && (
        <Table.ScrollContainer minWidth={560}>
          <Table verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('who')}</Table.Th>
                <Table.Th className={classes.short ?? ''}>{t('model')}</Table.Th>
                <Table.Th>{t('api')}</Table.Th>
                <Table.Th>{t('last')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {requests.map(({ model, api, site, agent, lastAt }) => (
                <Table.Tr key={`${model} ${api} ${site} ${agent}`}>
                  <Table.Td>{site || (agent ? t('program', { agent }) : t('unnamed'))}</Table.Td>
                  <Table.Td className={classes.short ?? ''}>{model}</Table.Td>
                  <Table.Td className={classes.short ?? ''}>{t(`apis.${api}`)}</Table.Td>
                  <Table.Td className={classes.short ?? ''}>
                    {format.dateTime(new Date(lastAt), { dateStyle: 'medium', timeStyle: 'short' })}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Section>
  )
}
