import { Alert, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import type { AppChoices, AppLink, Move, PlannedApp } from '#shared/contract/moves.ts'
import { isSameValue } from '#shared/fields/same-value.ts'
import { SignedBy } from './carried-plan.tsx'
import classes from './moves.module.css'
import { canStart, moveAppsQuery, movesKey } from './moves.queries.ts'
import { BackFromPlan, PlanBar } from './plan-bar.tsx'
import { replaced } from './plan-draft.ts'
import { PlannedAppCard } from './planned-app.tsx'
import { useAttempt } from './use-attempt.ts'

/** The plan of an archive that holds several apps: which of them come along, and what they are called. */
export function SeveralPlanPage({ p, move }: { p: string; move: Move }) {
  const t = useTranslations('moves.plan.apps')
  const { _id: id } = move
  const { data, error, refetch } = useQuery(moveAppsQuery(p, id))
  return (
    <Page
      title={t('title')}
      description={t(move.apps.every(({ kind }) => kind === 'imori') ? 'carriedText' : 'text', {
        count: move.apps.length,
      })}
      actions={<BackFromPlan p={p} id={id} partOf={null} />}
    >
      {data ? (
        <Apps p={p} id={id} apps={data.apps} links={data.links} readOnly={!canStart(move)} />
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <SkeletonList />
      )}
    </Page>
  )
}

interface AppsProps {
  p: string
  id: string
  apps: PlannedApp[]
  links: AppLink[]
  readOnly: boolean
}

const choicesOf = (apps: readonly PlannedApp[]): AppChoices =>
  apps.map(({ _id, chosen, uid, name }) => ({ _id, chosen, uid, name }))

function Apps({ p, id, apps, links, readOnly }: AppsProps) {
  const t = useTranslations('moves.plan')
  const work = useAppsWork(p, id, apps)
  const { draft, change, isDirty, busy, problem } = work
  return (
    <>
      <UnsavedGuard when={isDirty && !busy} />
      <SameSigner apps={apps} />
      <Stack gap="sm" mb="lg">
        {apps.map((app, index) => {
          const choice = draft[index]
          return (
            choice && (
              <PlannedAppCard
                key={app._id}
                p={p}
                app={app}
                choice={choice}
                readOnly={readOnly}
                onChange={(changed) => change(replaced(draft, index, changed))}
              />
            )
          )
        })}
      </Stack>
      <Links links={links} />
      {problem && (
        <Alert color="red" variant="light" mt="md" role="alert">
          {problem}
        </Alert>
      )}
      {!readOnly && !draft.some(({ chosen }) => chosen) && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {t('apps.none')}
        </Text>
      )}
      {!readOnly && (
        <PlanBar work={work} isPart={false} hint={t(work.canStart ? 'apps.startText' : 'apps.cannotStart')} />
      )}
    </>
  )
}

/** By whom the apps of a space were signed together; where each is an archive of its own its plan says so. */
function SameSigner({ apps }: { apps: readonly PlannedApp[] }) {
  const [first, ...others] = apps.map(({ source }) => (source.kind === 'imori' ? source.signature : null))
  return first && others.every((other) => isSameValue(other, first)) ? <SignedBy signature={first} /> : null
}

/** What is chosen, kept until it is saved or the import is started. */
function useAppsWork(p: string, id: string, apps: readonly PlannedApp[]) {
  const t = useTranslations('moves.plan')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const saved = choicesOf(apps)
  const [draft, setDraft] = useState(saved)
  const { busy, problem, attempt } = useAttempt(moveAppsQuery(p, id).queryKey)
  const isDirty = !isSameValue(draft, saved)
  const params = { p, id }
  // The plan of an app, which is another page, may have changed its names.
  useEffect(() => setDraft(choicesOf(apps)), [apps])

  const send = async () => {
    const answer = await api('PUT /api/project/{p}/move/{id}/apps', { params, body: { data: draft } })
    queryClient.setQueryData(moveAppsQuery(p, id).queryKey, answer)
    await queryClient.invalidateQueries({ queryKey: movesKey(p), exact: true })
  }
  const chosen = draft.filter((choice) => choice.chosen)
  const isUnique = new Set(chosen.map(({ uid }) => uid)).size === chosen.length
  const isFree = apps.every(({ problems }, index) => {
    const taken = problems.find(({ code }) => code === 'appUidTaken')?.examples ?? []
    const choice = draft[index]
    return !choice?.chosen || !taken.includes(choice.uid)
  })
  return {
    draft,
    isDirty,
    busy,
    problem,
    canStart: chosen.length > 0 && isUnique && isFree,
    change: setDraft,
    reset: () => setDraft(saved),
    save: () =>
      attempt(async () => {
        await send()
        toast.success(t('saved'))
      }),
    start: () =>
      attempt(async () => {
        if (isDirty) await send()
        await api('POST /api/project/{p}/move/{id}/start', { params })
        await queryClient.invalidateQueries({ queryKey: movesKey(p) })
        await navigate({ to: '/$p/-/moves/$move', params: { p, move: id } })
      }),
  }
}

/** What one app names of another, which no reference can. */
function Links({ links }: { links: readonly AppLink[] }) {
  const t = useTranslations('moves.plan.apps.links')
  if (links.length === 0) return null
  return (
    <Section title={t('title')} description={t('text')}>
      <ul className={classes.problems}>
        {links.map(({ app, field, to, count, examples }) => (
          <li key={`${app} ${field} ${to.app} ${to.here}`}>
            <Text size="sm">{t(to.here ? 'here' : 'together', { app, field, to: to.app, count })}</Text>
            <code>{examples.join(', ')}</code>
          </li>
        ))}
      </ul>
    </Section>
  )
}
