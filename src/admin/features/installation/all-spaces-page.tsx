import { Code } from '@mantine/core'
import { IconStack2 } from '@tabler/icons-react'
import { useFormatter, useTranslations } from 'use-intl'
import { useFileSize } from '#admin/ui/file-size.ts'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState } from '#admin/ui/states.tsx'
import type { ListedSpace } from '#shared/contract/installation.ts'
import { allSpacesQuery } from './installation.queries.ts'
import classes from './lists.module.css'
import { PagedList } from './paged-list.tsx'
import { type Column, ResponsiveTable } from './responsive-table.tsx'

/** `/admin/spaces`: all spaces of the installation, with their admins and their size. */
export function AllSpacesPage() {
  const t = useTranslations('installation.spaces')
  const format = useFormatter()
  const fileSize = useFileSize()
  const columns: Column<ListedSpace>[] = [
    {
      title: t('space'),
      cell: ({ name, uid, createdAt }) => (
        <>
          <div className={classes.name}>{name}</div>
          <Code>{uid}</Code>
          <div className={classes.detail}>
            {t('created', { date: format.dateTime(new Date(createdAt), { dateStyle: 'medium' }) })}
          </div>
        </>
      ),
    },
    { title: t('admins'), cell: (space) => <Admins {...space} /> },
    { title: t('members'), kind: 'number', cell: ({ memberCount }) => format.number(memberCount) },
    { title: t('apps'), kind: 'number', cell: ({ appCount }) => format.number(appCount) },
    { title: t('documents'), kind: 'number', cell: ({ documentCount }) => format.number(documentCount) },
    { title: t('files'), kind: 'number', cell: ({ fileBytes }) => fileSize(fileBytes) },
  ]
  return (
    <Page title={t('title')} description={t('text')}>
      <PagedList
        query={allSpacesQuery}
        searchLabel={t('search')}
        count={(count) => t('count', { count })}
        empty={(isSearch) => (
          <EmptyState
            icon={<IconStack2 size={36} stroke={1.4} aria-hidden="true" />}
            title={t(isSearch ? 'none' : 'empty')}
            text={t(isSearch ? 'noneText' : 'emptyText')}
          />
        )}
      >
        {(rows) => (
          <ResponsiveTable label={t('title')} columns={columns} rows={rows} keyOf={({ uid }) => uid} />
        )}
      </PagedList>
    </Page>
  )
}

function Admins({ admins, adminCount }: Pick<ListedSpace, 'admins' | 'adminCount'>) {
  const t = useTranslations('installation.spaces')
  if (adminCount === 0) return <span className={classes.detail}>{t('noAdmin')}</span>
  return (
    <ul className={classes.people}>
      {admins.map(({ name, email }) => (
        <li key={email}>
          <div>{name || email}</div>
          {name && <div className={classes.detail}>{email}</div>}
        </li>
      ))}
      {adminCount > admins.length && (
        <li className={classes.detail}>{t('moreAdmins', { count: adminCount - admins.length })}</li>
      )}
    </ul>
  )
}
