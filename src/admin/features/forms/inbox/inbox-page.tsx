import { Button, Checkbox, Text } from '@mantine/core'
import { IconArrowUp, IconInbox, IconTrash } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { nothingSelected, selectRange, toggleAll, toggleRow } from '#admin/lib/selection.ts'
import { useShortcut } from '#admin/lib/shortcuts.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import scrolling from '#admin/ui/scrolling-row.module.css'
import { EmptyState, ErrorState, LoadProblem, SkeletonList } from '#admin/ui/states.tsx'
import type { Submission } from '#shared/contract/form-submissions.ts'
import type { Form } from '#shared/contract/forms.ts'
import { FormFrame } from '../form-frame.tsx'
import classes from '../forms.module.css'
import { RestoreForm } from '../restore-form.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { ExportMenu } from './export-menu.tsx'
import { headQuery, keepNewCount, submissionsQuery } from './inbox.queries.ts'
import { InboxList, type InboxListHandle } from './inbox-list.tsx'
import { type InboxSearch, type InboxTab, inboxTabs, readInboxSearch } from './inbox-search.ts'
import { SubmissionDrawer } from './submission-drawer.tsx'
import { useCount, useSummary } from './submission-words.ts'
import { type InboxAction, useInboxActions } from './use-inbox-actions.tsx'

/** `/{p}/-/forms/{form}` */
export function InboxPage() {
  return <FormFrame>{(form, p) => <Inbox p={p} form={form} />}</FormFrame>
}

/** The submissions of a form. Users who may not read them see the fields instead. */
export function Inbox({ p, form }: { p: string; form: Form }) {
  const mayRead = useCanInSpace(p)('submission.read')
  const { tab = 'new' } = readInboxSearch(useSearch({ strict: false }) as Record<string, unknown>)
  if (!mayRead) return <Navigate to="/$p/-/forms/$form/fields" params={{ p, form: form._id }} replace />
  // The server answers 404 to requests for submissions of a form in the trash.
  if (form.deletedAt !== null) return <InboxInTrash p={p} form={form} />
  return <InboxOfTab key={tab} p={p} form={form} tab={tab} />
}

function InboxInTrash({ p, form }: { p: string; form: Form }) {
  const t = useTranslations('forms.inbox.formInTrash')
  return (
    <EmptyState
      icon={<IconTrash size={36} stroke={1.4} aria-hidden="true" />}
      title={t('title')}
      text={t('text')}
      action={<RestoreForm p={p} form={form} />}
    />
  )
}

function InboxOfTab({ p, form, tab }: { p: string; form: Form; tab: InboxTab }) {
  const t = useTranslations('forms.inbox')
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const mayManage = useCanInSpace(p)('submission.manage')
  const summaryOf = useSummary(form.fields)
  const rowOf = (submission: Submission) => ({ id: submission._id, title: summaryOf(submission).title })
  const { message: openId } = readInboxSearch(useSearch({ strict: false }) as Record<string, unknown>)
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    submissionsQuery(p, form._id, tab),
  )
  const hasPages = (data?.pages.length ?? 0) > 1
  const head = useQuery({ ...headQuery(p, form._id, tab), enabled: hasPages }).data
  const { act, progress } = useInboxActions(p, form)
  const [selection, setSelection] = useState(nothingSelected)
  const [active, setActive] = useState(0)
  const list = useRef<InboxListHandle>(null)
  /** The position of the open submission in the list, also after a change has removed it from there. */
  const openAt = useRef(0)

  const submissions = data?.pages.flatMap((page) => page.submissions) ?? []
  const present = Math.max(0, Math.min(active, submissions.length - 1))
  const counts = (hasPages ? head?.counts : undefined) ?? data?.pages[0]?.counts
  const newCount = counts?.new
  useEffect(() => {
    if (newCount !== undefined) keepNewCount(queryClient, p, form._id, newCount)
  }, [newCount, queryClient, p, form._id])
  const rows = submissions.map(rowOf)
  const newest = head?.submissions[0]?.receivedAt
  const isBehind = hasPages && newest !== undefined && newest > (submissions[0]?.receivedAt ?? '')

  const found = submissions.findIndex(({ _id }) => _id === openId)
  if (found >= 0) openAt.current = found
  const previous = submissions[openAt.current - 1]
  const next = found >= 0 ? submissions[found + 1] : submissions[openAt.current]

  function go(search: InboxSearch, replace = false) {
    void navigate({
      to: '/$p/-/forms/$form',
      params: { p, form: form._id },
      search: search as never,
      replace,
      resetScroll: false,
    })
  }
  const withTab = tab === 'new' ? {} : { tab }
  const open = (submission: Submission, replace = false) =>
    go({ ...withTab, message: submission._id }, replace)

  /** Acts on one submission. Default: the open one, or else the selected ones, or else the active one. */
  async function run(action: InboxAction, of?: Submission) {
    const single = of ?? (openId ? submissions[found] : undefined)
    const chosen = single ? [] : submissions.filter(({ _id }) => selection.chosen.has(_id))
    const focused = single ?? submissions[present]
    const targets = chosen.length > 0 ? chosen : focused ? [focused] : []
    const failed = await act(action, targets)
    if (chosen.length === 0) return
    // Failed submissions stay selected, so that the user can inspect or retry them.
    setSelection({
      chosen: new Map(failed.map((id) => [id, selection.chosen.get(id) ?? ''])),
      anchor: null,
    })
  }

  function step(by: 1 | -1) {
    if (openId) {
      const target = by === 1 ? next : previous
      if (target) open(target, true)
      return
    }
    // Before the first step no row has the focus, so the first key focuses the active row.
    const isInList = document.activeElement?.getAttribute('role') === 'row'
    list.current?.focus(isInList ? present + by : present)
  }

  const isEmpty = submissions.length === 0
  const isOpen = openId !== undefined
  const isTrash = tab === 'trash'
  useShortcut('j', t('keys.next'), () => step(1), !isEmpty)
  useShortcut('k', t('keys.previous'), () => step(-1), !isEmpty)
  useShortcut('enter', t('keys.open'), null, !isEmpty && !isOpen)
  const canAct = mayManage && !isEmpty && (!isOpen || found >= 0)
  useShortcut('x', t('keys.select'), () => choose(submissions[present], false), canAct && !isOpen)
  useShortcut('e', t('keys.done'), () => void run('done'), canAct && !isTrash)
  useShortcut('!', t('keys.spam'), () => void run('spam'), canAct && !isTrash)
  useShortcut('#', t('keys.trash'), () => void run('trash'), canAct && !isTrash)
  useShortcut('delete', t('keys.trash'), () => void run('trash'), canAct && !isTrash)

  function choose(submission: Submission | undefined, isRange: boolean) {
    if (!submission) return
    const row = rowOf(submission)
    setSelection(isRange ? selectRange(selection, rows, row) : toggleRow(selection, row))
  }

  const allChosen = rows.length > 0 && rows.every(({ id }) => selection.chosen.has(id))
  return (
    <>
      <Tabs p={p} form={form} tab={tab} counts={counts} />
      <div className={classes.strip}>
        {mayManage && !isEmpty && (
          <Checkbox
            ml={14}
            aria-label={t('selectShown', { count: rows.length })}
            checked={allChosen}
            indeterminate={selection.chosen.size > 0 && !allChosen}
            onChange={() => setSelection(toggleAll(selection, rows))}
          />
        )}
        {selection.chosen.size > 0 && mayManage ? (
          <BulkBar
            tab={tab}
            count={selection.chosen.size}
            onAct={(action) => void run(action)}
            onClear={() => {
              setSelection(nothingSelected)
              // The bar disappears, so the focus moves to the list.
              list.current?.focus(present)
            }}
          />
        ) : (
          <>
            <Text size="sm" c="dimmed">
              {isTrash ? t('trashHint') : tab === 'spam' ? t('spamHint') : !isEmpty && t('keysHint')}
            </Text>
            {tab !== 'trash' && (
              <span className={classes.tools}>
                <ExportMenu p={p} id={form._id} tab={tab} />
              </span>
            )}
          </>
        )}
      </div>
      <LoadProblem error={data ? error : null} retry={() => void refetch()} />
      {isBehind && (
        <div className={classes.behind}>
          <Button
            size="xs"
            variant="light"
            leftSection={<IconArrowUp size={15} />}
            onClick={() => {
              window.scrollTo({ top: 0 })
              void refetch()
            }}
          >
            {t('showNew')}
          </Button>
        </div>
      )}
      {!data ? (
        error ? (
          <ErrorState error={error} retry={() => void refetch()} />
        ) : (
          <SkeletonList rows={8} height={48} />
        )
      ) : isEmpty && !hasNextPage ? (
        <Empty
          p={p}
          form={form}
          tab={tab}
          hasOthers={Object.values(counts ?? {}).some((count) => count > 0)}
        />
      ) : (
        <InboxList
          ref={list}
          tab={tab}
          label={t('list', { tab: t(`tabs.${tab}`) })}
          submissions={submissions}
          fields={form.fields}
          hasMore={hasNextPage && !isFetchingNextPage}
          onMore={() => void fetchNextPage()}
          active={present}
          onActive={setActive}
          isChosen={(id) => selection.chosen.has(id)}
          onChoose={mayManage ? choose : null}
          onChooseAll={() => setSelection(toggleAll(nothingSelected, rows))}
          onClear={() => setSelection(nothingSelected)}
          onOpen={(submission) => open(submission)}
        />
      )}
      {openId && (
        <SubmissionDrawer
          p={p}
          form={form}
          id={openId}
          mayManage={mayManage}
          onPrevious={previous ? () => open(previous, true) : null}
          onNext={next ? () => open(next, true) : null}
          onAct={(action, submission) => void run(action, submission)}
          onClose={() => go(withTab, true)}
        />
      )}
      {progress}
    </>
  )
}

interface TabsProps {
  p: string
  form: Form
  tab: InboxTab
  counts: Record<Exclude<InboxTab, 'all' | 'trash'>, number> | undefined
}

/** The tabs of the inbox with their numbers. The numbers of all submissions and of the trash are not counted. */
function Tabs({ p, form, tab, counts }: TabsProps) {
  const t = useTranslations('forms.inbox')
  const shown = useCount()
  return (
    <nav aria-label={t('tabs.label')}>
      <ul className={`${classes.tabs} ${scrolling.row}`}>
        {inboxTabs.map((one) => {
          const count = one === 'all' || one === 'trash' ? undefined : counts?.[one]
          return (
            <li key={one}>
              <Link
                to="/$p/-/forms/$form"
                params={{ p, form: form._id }}
                search={(one === 'new' ? {} : { tab: one }) as never}
                // With an open submission, the query string equals no tab's, so `aria-current` is set here.
                activeOptions={{ exact: true }}
                {...(one === tab ? { 'aria-current': 'page' } : { 'aria-current': undefined })}
                className={classes.tab}
              >
                {t(`tabs.${one}`)}
                {count !== undefined && count > 0 && <span>{shown(count)}</span>}
              </Link>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

interface EmptyProps {
  p: string
  form: Form
  tab: InboxTab
  /** Whether other tabs have submissions. */
  hasOthers: boolean
}

/** Explains why a tab is empty, and what to do next. */
function Empty({ p, form, tab, hasOthers }: EmptyProps) {
  const t = useTranslations('forms.inbox.empty')
  // The form may have been loaded before its first submission arrived.
  const isUnused = form.lastReceivedAt === null && !hasOthers && (tab === 'new' || tab === 'all')
  return (
    <EmptyState
      icon={<IconInbox size={36} stroke={1.4} aria-hidden="true" />}
      title={isUnused ? t('unused.title') : t(`${tab}.title`)}
      text={isUnused ? t('unused.text') : t(`${tab}.text`)}
      action={
        isUnused && (
          <Button
            renderRoot={(props) => (
              <Link {...props} to="/$p/-/forms/$form/install" params={{ p, form: form._id }} />
            )}
          >
            {t('unused.action')}
          </Button>
        )
      }
    />
  )
}
