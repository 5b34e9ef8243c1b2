import { Badge, Button, Menu, Text, UnstyledButton } from '@mantine/core'
import { IconDownload, IconHistory, IconLock, IconShieldCheck } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { errorText } from '#admin/lib/errors.ts'
import { modals } from '#admin/lib/modals.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, LoadProblem, SkeletonList } from '#admin/ui/states.tsx'
import type { AuditEntry } from '#shared/contract/audit-log.ts'
import { AuditFilters } from './audit-filters.tsx'
import classes from './audit-log.module.css'
import {
  type AuditSearch,
  auditLogQuery,
  exportAddress,
  readAuditSearch,
  verifyAuditLog,
} from './audit-log.queries.ts'
import { EntryDrawer } from './entry-drawer.tsx'
import { useEntryWords } from './use-entry-words.ts'

/** `/{p}/-/audit-log` */
export function AuditLogPage() {
  const t = useTranslations('auditLog')
  const { p } = spaceRoute.useParams()
  const can = useCanInSpace(p)
  const given = useSearch({ strict: false }) as Record<string, unknown>
  const search = readAuditSearch(given)
  const navigate = useNavigate()
  const change = (next: AuditSearch) => void navigate({ search: next as never, replace: true })
  if (!can('audit.read'))
    return (
      <Page title={t('title')}>
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={t('forbidden')}
          text={t('forbiddenText')}
        />
      </Page>
    )
  return (
    <Page title={t('title')} description={t('text')} actions={<Actions p={p} search={search} />}>
      <AuditFilters p={p} search={search} onChange={change} />
      <Entries p={p} search={search} onSearch={change} />
    </Page>
  )
}

/** `/admin/audit-log`: actions outside spaces, for the installation's admin. */
export function InstallationAuditLogPage() {
  const t = useTranslations('auditLog')
  const search = readAuditSearch(useSearch({ strict: false }) as Record<string, unknown>)
  const navigate = useNavigate()
  const change = (next: AuditSearch) => void navigate({ search: next as never, replace: true })
  return (
    <Page title={t('title')} description={t('installationText')}>
      <AuditFilters p={null} search={search} onChange={change} />
      <Entries p={null} search={search} onSearch={change} />
    </Page>
  )
}

function Actions({ p, search }: { p: string; search: AuditSearch }) {
  const t = useTranslations('auditLog')
  const [verifying, setVerifying] = useState(false)
  async function verify() {
    setVerifying(true)
    try {
      const answer = await verifyAuditLog(p)
      modals.open({ title: t('verify.title'), children: <Verified answer={answer} /> })
    } catch (error) {
      toast.error(errorText(error))
    } finally {
      setVerifying(false)
    }
  }
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconShieldCheck size={16} />}
        loading={verifying}
        onClick={() => void verify()}
      >
        {t('verify.action')}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<IconDownload size={16} />}>
            {t('export.action')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {(['csv', 'ndjson'] as const).map((format) => (
            <Menu.Item key={format} component="a" href={exportAddress(p, search, format)} download>
              {t(`export.${format}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

function Verified({ answer }: { answer: Awaited<ReturnType<typeof verifyAuditLog>> }) {
  const t = useTranslations('auditLog.verify')
  const format = useFormatter()
  const { problem, entries, unsealed, released, head, sealedAt } = answer
  const date = (at: string) => format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <>
      <Text fw={600} c={problem ? 'var(--mantine-color-error)' : 'var(--mantine-color-text)'} role="status">
        {problem ? t(`problems.${problem.kind}`, { date: date(problem.sealedAt) }) : t('good')}
      </Text>
      <Text size="sm" mt="xs">
        {t('counts', { entries, unsealed })}
        {released > 0 && ` ${t('purged', { count: released })}`}
      </Text>
      {head && sealedAt && !problem && (
        <Text size="sm" c="dimmed" mt="md" style={{ overflowWrap: 'anywhere' }}>
          {t('head', { date: date(sealedAt), head })}
        </Text>
      )}
    </>
  )
}

/**
 * Maximum number of pages loaded automatically while fewer than 20 entries match. Afterwards the user decides whether
 * to continue.
 */
const pagesByThemselves = 40

function Entries({
  p,
  search,
  onSearch,
}: {
  /** Uid of the space. null: the installation. */
  p: string | null
  search: AuditSearch
  onSearch: (search: AuditSearch) => void
}) {
  const t = useTranslations('auditLog')
  const format = useFormatter()
  const [open, setOpen] = useState<AuditEntry | null>(null)
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(
    auditLogQuery(p, search),
  )
  const pages = data?.pages ?? []
  const entries = pages.flatMap((page) => page.auditLogs)
  const last = pages.at(-1)
  // If the last page reached the scan limit and fewer than 20 entries match so far, the next page is loaded
  // automatically.
  const goesOn =
    hasNextPage && last?.searchedTo !== null && entries.length < 20 && pages.length < pagesByThemselves
  useEffect(() => {
    if (goesOn && !isFetchingNextPage && !error) void fetchNextPage()
  }, [goesOn, isFetchingNextPage, error, fetchNextPage])

  if (!data)
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList rows={8} />
  const total = pages[0]?.total ?? null
  const searched = last?.searchedTo
  return (
    <>
      <LoadProblem error={error} retry={() => void refetch()} />
      <Text size="sm" c="dimmed" mb="xs" role="status">
        {total === null ? (goesOn ? t('searching') : '\u00a0') : t('total', { count: total })}
      </Text>
      {entries.length === 0 && !hasNextPage && (
        <EmptyState
          icon={<IconHistory size={36} stroke={1.4} aria-hidden="true" />}
          title={t('empty.title')}
          text={t('empty.text')}
        />
      )}
      {entries.length > 0 && (
        <ul className={classes.list} aria-label={t('title')}>
          {entries.map((entry) => (
            <li key={entry._id}>
              <Row entry={entry} onOpen={() => setOpen(entry)} />
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className={classes.more}>
          {searched && (
            <Text size="sm" c="dimmed">
              {t('searchedTo', { date: format.dateTime(new Date(searched), { dateStyle: 'medium' }) })}
            </Text>
          )}
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {searched ? t('searchOn') : t('more')}
          </Button>
        </div>
      )}
      {open && <EntryDrawer entry={open} onClose={() => setOpen(null)} onSearch={onSearch} />}
    </>
  )
}

function Row({ entry, onOpen }: { entry: AuditEntry; onOpen: () => void }) {
  const t = useTranslations('auditLog')
  const format = useFormatter()
  const words = useEntryWords()
  const at = format.dateTime(new Date(entry.at), { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <UnstyledButton className={classes.row} onClick={onOpen} aria-haspopup="dialog">
      <time className={classes.time} dateTime={entry.at}>
        {at}
      </time>
      <span className={classes.actor}>{words.actor(entry)}</span>
      <span className={classes.what}>
        {words.act(entry)}
        <span className={classes.name}>{words.object(entry)}</span>
      </span>
      {entry.outcome === 'done' ? (
        <span />
      ) : (
        <Badge className={classes.badge ?? ''} color="red" variant="light">
          {t('refused')}
        </Badge>
      )}
    </UnstyledButton>
  )
}
