import { Button, Table, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { Section } from '#admin/ui/section.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import {
  type AppChanges,
  chosenKinds,
  type MoveChangeCount,
  type MoveChangeKind,
  type MoveFileCount,
  moveChangeKinds,
  type NotImported,
  takesAny,
} from '#shared/contract/move-updates.ts'
import type { Move } from '#shared/contract/moves.ts'
import { rightKey } from '../../roles/right-groups.ts'
import { MayImport } from '../may-import.tsx'
import { moveCalls, useMovePlace, useUpdateWords } from '../move-place.ts'
import classes from '../moves.module.css'
import { movesKey } from '../moves.queries.ts'
import { ConfirmSource, otherProblems } from '../plan/confirm-source.tsx'
import { LeftOutSection } from '../plan/left-out-section.tsx'
import { MovePlanProblems } from '../plan/move-plan-problems.tsx'
import { ChangedDocuments, ChooseForAll, useChoose } from './changed-documents.tsx'
import { hasAdditions, NewParts } from './update-additions.tsx'
import { ReplacedFiles } from './update-files.tsx'
import { namesIn } from './update-names.ts'
import { ImportStates, useStatesDraft } from './update-states.tsx'
import { changesQuery } from './updates.queries.ts'

/** The preview of an update, before anything is written. Also the result of an update without changes. */
export function UpdateMovePlan({ p, move }: { p: string; move: Move }) {
  const t = useUpdateWords('moves.update.plan')
  const format = useFormatter()
  const place = useMovePlace(p)
  const { data, error, refetch } = useQuery(changesQuery(place, move._id))
  const draft = useStatesDraft(p, move._id, data?.states ?? [])
  const choose = useChoose(p, move._id)
  if (!data) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
  const { changes, counts, files, leftOut = [] } = data
  const confirmed = choose.isPending ? choose.variables.confirmed : data.confirmed
  const replaced = files.reduce((sum, { count }) => sum + count, 0)
  const assets = changes.counts.assets - replaced
  const kinds = moveChangeKinds.filter((kind) => sumOf(counts, kind) > 0)
  const unsure = place.a === null ? changes.models.filter((one) => one.uid !== null && !one.knowsGone) : []
  const isNothing = isEmpty(changes)
  return (
    <>
      {confirmed !== undefined && (
        <ConfirmSource
          confirmed={confirmed}
          readOnly={false}
          onChange={(next) => choose.mutate({ confirmed: next })}
        />
      )}
      <Section title={isNothing ? t('none') : t('title')} description={isNothing ? t('noneText') : t('text')}>
        {changes.models.some(({ uid }) => uid !== null) && <Models changes={changes} counts={counts} />}
        {assets > 0 && (
          <Text size="sm" mt="sm">
            {t('assets', { count: assets })}
          </Text>
        )}
        {unsure.length > 0 && (
          <Text size="sm" mt="sm" c="dimmed">
            {t('unknownGone', { names: format.list(unsure.map(({ name }) => name)) })}
          </Text>
        )}
      </Section>
      <ImportStates draft={draft} />
      <NewParts p={p} id={move._id} changes={changes} />
      <ReplacedFiles p={p} id={move._id} files={files} />
      <NotBrought changes={changes} isDone={move.state === 'accepted'} />
      <LeftOutSection leftOut={leftOut} />
      {!isNothing && <MovePlanProblems problems={otherProblems(data.problems)} plan={namesIn(changes)} />}
      {kinds.map((kind) => (
        <Kind key={kind} p={p} move={move} kind={kind} counts={counts} />
      ))}
      {!isNothing && (
        <Start
          p={p}
          move={move}
          changes={changes}
          files={files}
          isStale={draft.isDirty}
          isUnconfirmed={confirmed === false}
        />
      )}
    </>
  )
}

/** Returns whether the update offers no documents, files, models or fields to import. */
export const isEmpty = (changes: AppChanges): boolean =>
  changes.counts.documents === 0 && changes.counts.assets === 0 && !hasAdditions(changes)

const sumOf = (counts: readonly MoveChangeCount[], kind: MoveChangeKind, from?: string) =>
  counts
    .filter((one) => one.kind === kind && (from === undefined || one.from === from))
    .reduce((sum, { count }) => sum + count, 0)

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

/** Returns a function that describes data of an exported app that an import into another app leaves out. */
function useOthersLeft(isDone: boolean) {
  const t = useTranslations('moves.into.left')
  const right = useTranslations('roles')(rightKey('view.manage', 'name'))
  const format = useFormatter()
  const done = String(isDone)
  return ({ what, why, count, examples }: NotImported): string => {
    const more = count - examples.length
    const names = format.list(more > 0 ? [...examples, t('more', { count: more })] : examples)
    if (what === 'roles') return t('roles', { names, done })
    if (what === 'revisions') return t('revisions', { count, done })
    return t(`views.${why as 'lacksRight'}`, { names, right, done })
  }
}

/** Lists the parts that the update leaves out. */
export function NotBrought({ changes, isDone }: { changes: AppChanges; isDone: boolean }) {
  const { models, newModels, missingModels, notImported } = changes
  const t = useUpdateWords('moves.update.plan')
  const format = useFormatter()
  const others = useOthersLeft(isDone)
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
    ...notImported.map(others),
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

interface StartProps {
  p: string
  move: Move
  changes: AppChanges
  files: MoveFileCount[]
  /** Whether the user has changed choices for states since the file was compared. */
  isStale: boolean
  isUnconfirmed: boolean
}

function Start({ p, move, changes, files, isStale, isUnconfirmed }: StartProps) {
  const t = useUpdateWords('moves.update.plan')
  const confirm = useTranslations('moves.plan.confirm')
  const states = useTranslations('moves.into.states')
  const place = useMovePlace(p)
  const queryClient = useQueryClient()
  const start = useMutation({
    mutationFn: () => moveCalls(place, move._id).start(),
    onError: (error) => toast.error(errorText(error)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: movesKey(p) }),
  })
  const button = (
    <Button loading={start.isPending} disabled={isStale || isUnconfirmed} onClick={() => start.mutate()}>
      {t('start')}
    </Button>
  )
  return (
    <div className={classes.bar}>
      {place.a === null ? (
        button
      ) : (
        <MayImport
          p={p}
          a={place.a}
          makesModels={takesAny(changes.additions)}
          replacesFiles={files.some(({ takes }) => takes)}
        >
          {button}
        </MayImport>
      )}
      <Text size="sm" c="dimmed" mt="xs">
        {isUnconfirmed ? confirm('cannotStart') : isStale ? states('cannotStart') : t('startText')}
      </Text>
    </div>
  )
}
