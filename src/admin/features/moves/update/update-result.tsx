import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { Section } from '#admin/ui/section.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { type MoveOutcome, moveOutcomes } from '#shared/contract/move-updates.ts'
import type { Move } from '#shared/contract/moves.ts'
import { countChoices } from '#shared/publication-states.ts'
import { Counts, ReportProblems } from '../imported.tsx'
import { useMovePlace, useUpdateWords } from '../move-place.ts'
import classes from '../moves.module.css'
import { MovePlanProblems } from '../plan/move-plan-problems.tsx'
import { ChangedDocuments } from './changed-documents.tsx'
import { MadeParts } from './update-additions.tsx'
import { ReplacedFilesResult } from './update-files.tsx'
import { namesIn } from './update-names.ts'
import { isEmpty, NotBrought, UpdateMovePlan } from './update-plan.tsx'
import { changesQuery } from './updates.queries.ts'

/** The result of an update: the imported data, the data left out, and the reasons. */
export function UpdateResult({ p, move }: { p: string; move: Move }) {
  const t = useUpdateWords('moves.update.result')
  const words = useTranslations('moves')
  const { data, error, refetch } = useQuery(changesQuery(useMovePlace(p), move._id))
  if (!data) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
  const countOf = (outcome: MoveOutcome) =>
    data.counts.filter((one) => one.outcome === outcome).reduce((sum, { count }) => sum + count, 0)
  if (isEmpty(data.changes)) return <UpdateMovePlan p={p} move={move} />
  const app = move.app?.uid ?? ''
  return (
    <>
      <Section title={t('title')} description={t('text')}>
        {move.report && <Counts report={move.report} />}
        {data.states.length > 0 && (
          <Text size="sm" mt="sm">
            {words('into.states.chosen', { ...countChoices(data.states) })}
          </Text>
        )}
        <div className={classes.actions}>
          <Button component={Link} {...{ to: `/${p}/${app}` }} mt="md">
            {words('imported.open')}
          </Button>
        </div>
      </Section>
      {move.report && <ReportProblems problems={move.report.problems} />}
      <MadeParts changes={data.changes} />
      <ReplacedFilesResult files={data.files} />
      <NotBrought changes={data.changes} isDone />
      <MovePlanProblems problems={data.problems} plan={namesIn(data.changes)} />
      {moveOutcomes
        .filter((outcome) => countOf(outcome) > 0)
        .map((outcome) => (
          <Section
            key={outcome}
            title={`${t(`outcomes.${outcome}`)} · ${words('update.count', { count: countOf(outcome) })}`}
            description={t(`explained.${outcome}`)}
          >
            <ChangedDocuments p={p} id={move._id} app={app} which={{ outcome }} />
          </Section>
        ))}
    </>
  )
}
