import { Select, Text } from '@mantine/core'
import { IconUserSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { PageLinks } from '#admin/ui/page-links.tsx'
import { SearchBox } from '#admin/ui/search-box.tsx'
import { EmptyState, ErrorState, LoadProblem, SkeletonList } from '#admin/ui/states.tsx'
import type { Role } from '#shared/contract/roles.ts'
import { MemberRow } from './member-row.tsx'
import { memberPageQuery, type PeoplePlace, pageSize } from './members.queries.ts'
import classes from './members-page.module.css'

interface MemberListProps {
  place: PeoplePlace
  roles: readonly Role[]
  mayManage: boolean
}

/** The members of a space or an app, with paging, search and filter on the server. */
export function MemberList({ place, roles, mayManage }: MemberListProps) {
  const t = useTranslations('members')
  const names = useRoleNames(roles)
  const [wanted, setWanted] = useState({ search: '', role: null as string | null, page: 1 })
  const { data, error, refetch, isPlaceholderData } = useQuery(memberPageQuery(place, wanted))
  // Callers who may not see email addresses cannot search by them. The state is kept, because an empty result does not
  // show whether addresses are hidden.
  const [hidesAddresses, setHidesAddresses] = useState(false)
  if (!hidesAddresses && data?.members.some(({ email }) => email === null)) setHidesAddresses(true)
  const pages = data ? Math.max(1, Math.ceil(data.total / pageSize)) : 1
  return (
    <>
      <div className={classes.filters}>
        <SearchBox
          className={classes.search ?? ''}
          label={t(hidesAddresses ? 'searchNames' : 'search')}
          value={wanted.search}
          onSearch={(search) => setWanted((before) => ({ ...before, search, page: 1 }))}
        />
        <Select
          aria-label={t('roleFilter')}
          placeholder={t('allRoles')}
          data={roles.map(({ uid }) => ({ value: uid, label: names.nameOf(uid) }))}
          value={wanted.role}
          onChange={(role) => setWanted((before) => ({ ...before, role, page: 1 }))}
          clearable
        />
        <Text size="sm" c="dimmed" role="status">
          {data && t('count', { count: data.total })}
        </Text>
      </div>
      {!data && error && <ErrorState error={error} retry={() => void refetch()} />}
      {data && <LoadProblem error={error} retry={() => void refetch()} />}
      {!data && !error && <SkeletonList />}
      {data?.total === 0 && (
        <EmptyState
          icon={<IconUserSearch size={36} stroke={1.4} aria-hidden="true" />}
          title={t('none')}
          text={t('noneText')}
        />
      )}
      {data && data.members.length > 0 && (
        <ul className={classes.list} aria-label={t('title')} data-stale={isPlaceholderData || undefined}>
          {data.members.map((member) => (
            <MemberRow key={member._id} place={place} member={member} roles={roles} mayManage={mayManage} />
          ))}
        </ul>
      )}
      {pages > 1 && (
        <PageLinks
          label={t('pages')}
          total={pages}
          value={wanted.page}
          onChange={(page) => setWanted((before) => ({ ...before, page }))}
        />
      )}
    </>
  )
}
