import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { useFileSize } from '#admin/media/asset-words.ts'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import type { MoveCorrections, MovePlan } from '#shared/contract/moves.ts'
import { isSameValue } from '#shared/fields/same-value.ts'
import classes from './moves.module.css'
import { movePlanQuery, moveQuery, movesKey } from './moves.queries.ts'
import { correctionsOf, type PlannedPart, replaced } from './plan-draft.ts'
import { PlanProblems } from './plan-problems.tsx'
import { PlannedPartCard } from './planned-part.tsx'

const route = getRouteApi('/signed-in/$p/-/moves/$move/plan')

/** `/{p}/-/moves/{move}/plan` */
export function PlanPage() {
  const t = useTranslations('moves.plan')
  const { p, move: id } = route.useParams()
  const plan = useQuery(movePlanQuery(p, id))
  const move = useQuery(moveQuery(p, id))
  const error = plan.error ?? move.error
  if (!plan.data || !move.data)
    return (
      <Page title={t('title')}>
        {error ? <ErrorState error={error} retry={() => void plan.refetch()} /> : <SkeletonList />}
      </Page>
    )
  const isOpen = move.data.state === 'planned' || move.data.state === 'undone'
  return <Plan key={id} p={p} id={id} plan={plan.data} readOnly={!isOpen} />
}

interface PlanProps {
  p: string
  id: string
  plan: MovePlan
  readOnly: boolean
}

function Plan({ p, id, plan, readOnly }: PlanProps) {
  const t = useTranslations('moves.plan')
  const source = useTranslations('moves.sources.names')
  const format = useFormatter()
  const size = useFileSize()
  const work = usePlanWork(p, id, plan)
  const { draft, change, isDirty, busy, problem, canStart } = work
  const { documents, assets, bytes } = plan.counts
  // Sites of Newt know models and fields by the uids that they had there.
  const hasOwnUids = plan.source.kind === 'newt'
  return (
    <Page
      title={t('title')}
      description={t('text')}
      actions={
        <Button variant="default" component={Link} {...{ to: `/${p}/-/moves/${id}` }}>
          {t('back')}
        </Button>
      }
    >
      <UnsavedGuard when={isDirty && !busy} />
      <dl className={classes.facts}>
        {[
          [t('counts.source'), source(plan.source.kind)],
          [t('counts.models'), format.number(plan.models.length)],
          [t('counts.documents'), format.number(documents)],
          [t('counts.assets'), `${format.number(assets)} (${size(bytes)})`],
        ].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <PlanProblems problems={plan.problems} plan={plan} />
      <Section title={t('app.title')} description={t('app.text')}>
        <div className={classes.rowInputs}>
          <TextInput
            label={t('app.name')}
            value={draft.app.name}
            maxLength={100}
            readOnly={readOnly}
            onChange={({ currentTarget: { value } }) => change({ app: { ...draft.app, name: value } })}
          />
          <TextInput
            label={t('app.uid')}
            description={t('app.uidText')}
            value={draft.app.uid}
            maxLength={64}
            readOnly={readOnly}
            onChange={({ currentTarget: { value } }) => change({ app: { ...draft.app, uid: value } })}
          />
        </div>
      </Section>
      <Parts
        title={t('models')}
        parts={draft.models}
        plan={draft}
        hasOwnUids={hasOwnUids}
        readOnly={readOnly}
        onChange={(models) => change({ models: models as MovePlan['models'] })}
      />
      {draft.customTypes.length > 0 && (
        <Parts
          title={t('customTypes')}
          parts={draft.customTypes}
          plan={draft}
          hasOwnUids={hasOwnUids}
          readOnly={readOnly}
          onChange={(customTypes) => change({ customTypes: customTypes as MovePlan['customTypes'] })}
        />
      )}
      {problem && (
        <Alert color="red" variant="light" mt="md" role="alert">
          {problem}
        </Alert>
      )}
      {!readOnly && (
        <Group className={classes.bar} gap="sm">
          <Button loading={busy} disabled={!canStart} onClick={() => void work.start()}>
            {t('start')}
          </Button>
          <Button variant="default" disabled={!isDirty || busy} onClick={() => void work.save()}>
            {t('save')}
          </Button>
          <Button variant="subtle" color="gray" disabled={!isDirty || busy} onClick={work.reset}>
            {t('reset')}
          </Button>
          <Text size="sm" c="dimmed">
            {canStart ? t('startText') : t('cannotStart')}
          </Text>
        </Group>
      )}
    </Page>
  )
}

interface PartsProps {
  title: string
  parts: readonly PlannedPart[]
  plan: MoveCorrections
  /** uids that others rely on are not to be changed. */
  hasOwnUids: boolean
  readOnly: boolean
  onChange: (parts: PlannedPart[]) => void
}

function Parts({ title, parts, plan, hasOwnUids, readOnly, onChange }: PartsProps) {
  return (
    <Section title={title}>
      <Stack gap="sm">
        {parts.map((part, index) => (
          <PlannedPartCard
            key={part.from ?? part.uid}
            part={part}
            plan={plan}
            hasOwnUids={hasOwnUids}
            readOnly={readOnly}
            onChange={(changed) => onChange(replaced(parts, index, changed))}
          />
        ))}
      </Stack>
    </Section>
  )
}

/** What is corrected, kept until it is saved or the import is started. */
function usePlanWork(p: string, id: string, plan: MovePlan) {
  const t = useTranslations('moves.plan')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const saved = correctionsOf(plan)
  const [draft, setDraft] = useState<MoveCorrections>(saved)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const isDirty = !isSameValue(draft, saved)
  const taken = plan.problems.find(({ code }) => code === 'appUidTaken')?.examples ?? []
  const params = { p, id }

  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setProblem(null)
    try {
      await work()
    } catch (error) {
      setProblem(errorText(error))
      // What is in its way now is shown above.
      if (error instanceof ApiError && error.code === 'MovePlanHasProblems')
        await queryClient.invalidateQueries({ queryKey: movePlanQuery(p, id).queryKey })
    } finally {
      setBusy(false)
    }
  }
  const send = async () => {
    const answer = await api('PUT /api/project/{p}/move/{id}/plan', { params, body: { data: draft } })
    queryClient.setQueryData(movePlanQuery(p, id).queryKey, answer.plan)
    setDraft(correctionsOf(answer.plan))
  }
  return {
    draft,
    isDirty,
    busy,
    problem,
    canStart: !taken.includes(draft.app.uid),
    change: (changed: Partial<MoveCorrections>) => setDraft((before) => ({ ...before, ...changed })),
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
