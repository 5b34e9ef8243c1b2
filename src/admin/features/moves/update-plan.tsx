import { Button, Table, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useFormatter } from 'use-intl'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { Section } from '#admin/ui/section.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import {
  type AppChanges,
  chosenKinds,
  type MoveChangeCount,
  type MoveChangeKind,
  moveChangeKinds,
} from '#shared/contract/move-updates.ts'
import type { Move } from '#shared/contract/moves.ts'
import { ChangedDocuments, ChooseForAll } from './changed-documents.tsx'
import { moveCalls, useMovePlace, useUpdateWords } from './move-place.ts'
import classes from './moves.module.css'
import { movesKey } from './moves.queries.ts'
import { hasAdditions, NewParts } from './update-additions.tsx'
import { ReplacedFiles } from './update-files.tsx'
import { changesQuery } from './updates.queries.ts'

/** What an update would bring: nothing has been written. */
export function UpdatePlan({ p, move }: { p: string; move: Move }) {
  const t = useUpdateWords('moves.update.plan')
  const format = useFormatter()
  const { data, error, refetch } = useQuery(changesQuery(useMovePlace(p), move._id))
  if (!data) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
  const { changes, counts, files } = data
  const replaced = files.reduce((sum, { count }) => sum + count, 0)
  const assets = changes.counts.assets - replaced
  const kinds = moveChangeKinds.filter((kind) => sumOf(counts, kind) > 0)
  // Of what an import brings nothing can be gone.
  const unsure = changes.models.flatMap(({ uid, name, knowsGone }) =>
    uid === null || knowsGone || move.updates === move._id ? [] : [name],
  )
  const isNothing = isEmpty(changes)
  return (
    <>
      <Section title={isNothing ? t('none') : t('title')} description={isNothing ? t('noneText') : t('text')}>
        {changes.models.some(({ uid }) => uid !== null) && <Models changes={changes} counts={counts} />}
        {assets > 0 && (
          <Text size="sm" mt="sm">
            {t('assets', { count: assets })}
          </Text>
        )}
        {unsure.length > 0 && (
          <Text size="sm" mt="sm" c="dimmed">
            {t('unknownGone', { names: format.list(unsure) })}
          </Text>
        )}
      </Section>
      <NewParts p={p} id={move._id} changes={changes} />
      <ReplacedFiles p={p} id={move._id} files={files} />
      <NotBrought changes={changes} isDone={move.state === 'accepted'} />
      {kinds.map((kind) => (
        <Kind key={kind} p={p} move={move} kind={kind} counts={counts} />
      ))}
      {!isNothing && <Start p={p} move={move} />}
    </>
  )
}

/** Is there nothing to be brought? */
export const isEmpty = (changes: AppChanges): boolean =>
  changes.counts.documents === 0 && changes.counts.assets === 0 && !hasAdditions(changes)

const sumOf = (counts: readonly MoveChangeCount[], kind: MoveChangeKind, from?: string) =>
  counts
    .filter((one) => one.kind === kind && (from === undefined || one.from === from))
    .reduce((sum, { count }) => sum + count, 0)

/** The numbers of each model, of the kinds that there are. */
function Models({ changes: { models }, counts }: { changes: AppChanges; counts: MoveChangeCount[] }) {
  const t = useUpdateWords('moves.update')
  const kinds = moveChangeKinds.filter((kind) => sumOf(counts, kind) > 0)
  return (
    <Table.ScrollContainer
      minWidth={120 + 44 * kinds.length}
      scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
    >
      <Table verticalSpacing="xs" className={classes.counts ?? ''}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('plan.model')}</Table.Th>
            {kinds.map((kind) => (
              <Table.Th key={kind} scope="col">
                {t(`kinds.${kind}`)}
              </Table.Th>
            ))}
            <Table.Th scope="col">{t('plan.unchanged')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {models
            .filter(({ uid }) => uid !== null)
            .map(({ from, name, unchanged }) => (
              <Table.Tr key={from}>
                <Table.Th scope="row">{name}</Table.Th>
                {kinds.map((kind) => (
                  <Table.Td key={kind}>{sumOf(counts, kind, from)}</Table.Td>
                ))}
                <Table.Td>{unchanged}</Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

/** Fields and models that are not brought along. */
export function NotBrought({ changes, isDone }: { changes: AppChanges; isDone: boolean }) {
  const { models, newModels, missingModels } = changes
  const t = useUpdateWords('moves.update.plan')
  const format = useFormatter()
  const names = (list: readonly string[]) => format.list(list)
  const gone = models.flatMap(({ uid, from }) => (uid === null ? [from] : []))
  const unknown = models.filter(({ uid, unknownFields }) => uid !== null && unknownFields.length > 0)
  const lines = [
    ...(newModels.length > 0 ? [t('newModels', { names: names(newModels) })] : []),
    ...(missingModels.length > 0 ? [t('missingModels', { names: names(missingModels) })] : []),
    ...(gone.length > 0 ? [t('goneModels', { names: names(gone) })] : []),
    ...unknown.map(({ name, unknownFields }) =>
      t(isDone ? 'fieldsLeft' : 'unknownFields', { model: name, names: names(unknownFields) }),
    ),
  ]
  if (lines.length === 0) return null
  return (
    <Section title={t('notBrought')}>
      <ul className={classes.problems}>
        {lines.map((line) => (
          <li key={line}>
            <Text size="sm">{line}</Text>
          </li>
        ))}
      </ul>
    </Section>
  )
}

interface KindProps {
  p: string
  move: Move
  kind: MoveChangeKind
  counts: MoveChangeCount[]
}

function Kind({ p, move, kind, counts }: KindProps) {
  const t = useUpdateWords('moves.update')
  const count = sumOf(counts, kind)
  const chosen = chosenKinds.find((one) => one === kind)
  const takes = sumOf(
    counts.filter((one) => one.takes),
    kind,
  )
  return (
    <Section title={`${t(`kinds.${kind}`)} · ${t('count', { count })}`} description={t(`about.${kind}`)}>
      {chosen && count > 1 && <ChooseForAll p={p} id={move._id} kind={chosen} takes={takes} count={count} />}
      <ChangedDocuments
        p={p}
        id={move._id}
        app={move.app?.uid ?? ''}
        which={{ kind }}
        {...(chosen ? { chosen } : {})}
      />
    </Section>
  )
}

function Start({ p, move }: { p: string; move: Move }) {
  const t = useUpdateWords('moves.update.plan')
  const place = useMovePlace(p)
  const queryClient = useQueryClient()
  const start = useMutation({
    mutationFn: () => moveCalls(place, move._id).start(),
    onError: (error) => toast.error(errorText(error)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: movesKey(p) }),
  })
  return (
    <div className={classes.bar}>
      <Button loading={start.isPending} onClick={() => start.mutate()}>
        {t('start')}
      </Button>
      <Text size="sm" c="dimmed" mt="xs">
        {t('startText')}
      </Text>
    </div>
  )
}
