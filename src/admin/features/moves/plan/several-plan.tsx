import { Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { AppChoices, AppLink, Move, PlannedApp } from '#shared/contract/moves.ts'
import { isSameValue } from '#shared/fields/same-value.ts'
import classes from '../moves.module.css'
import { canStart, moveAppsQuery, movesKey } from '../moves.queries.ts'
import { SignedBy } from './carried-plan.tsx'
import { replaced } from './move-plan-draft.ts'
import { BackFromMovePlan, MovePlanFrame } from './move-plan-frame.tsx'
import { PlannedAppCard } from './planned-app.tsx'
import { useMovePlanWork } from './use-move-plan-work.ts'

/** The plan of an archive with several apps: which apps are included, and their names. */
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
      actions={<BackFromMovePlan p={p} move={move} />}
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
  const t = useTranslations('moves.plan.apps')
  const work = useAppsWork(p, id, apps)
  const { draft, change } = work
  return (
    <MovePlanFrame work={work} readOnly={readOnly} hint={t(work.canStart ? 'startText' : 'cannotStart')}>
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
      {!readOnly && !draft.some(({ chosen }) => chosen) && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {t('none')}
        </Text>
      )}
    </MovePlanFrame>
  )
}

/** The signature of the archive's apps, if all apps have the same one. */
function SameSigner({ apps }: { apps: readonly PlannedApp[] }) {
  const [first, ...others] = apps.map(({ source }) => (source.kind === 'imori' ? source.signature : null))
  return first && others.every((other) => isSameValue(other, first)) ? <SignedBy signature={first} /> : null
}

/**
 * Returns the draft (which apps are included, and their names), with the actions to save it and to start the import.
 */
function useAppsWork(p: string, id: string, apps: readonly PlannedApp[]) {
  const queryClient = useQueryClient()
  const { queryKey } = moveAppsQuery(p, id)
  const work = useMovePlanWork<AppChoices>(p, id, {
    planKey: queryKey,
    saved: choicesOf(apps),
    async send(draft) {
      const answer = await api('PUT /api/project/{p}/move/{id}/apps', {
        params: { p, id },
        body: { data: draft },
      })
      queryClient.setQueryData(queryKey, answer)
      await queryClient.invalidateQueries({ queryKey: movesKey(p), exact: true })
      return choicesOf(answer.apps)
    },
    canStart(draft) {
      const chosen = draft.filter((choice) => choice.chosen)
      const isUnique = new Set(chosen.map(({ uid }) => uid)).size === chosen.length
      const isFree = apps.every(({ problems }, index) => {
        const taken = problems.find(({ code }) => code === 'appUidTaken')?.examples ?? []
        const choice = draft[index]
        return !choice?.chosen || !taken.includes(choice.uid)
      })
      return chosen.length > 0 && isUnique && isFree
    },
  })
  const { change } = work
  // The names of an app can also be changed in its own plan, on another page.
  useEffect(() => change(choicesOf(apps)), [apps, change])
  return work
}

/** Links between apps. They cannot become references. */
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
