import { Button, NativeSelect, Radio, Stack, Text } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { ApiError } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { ChangedDocument, ChangesChoice, chosenKinds } from '#shared/contract/move-updates.ts'
import { moveCalls, useMovePlace, useUpdateWords } from '../move-place.ts'
import classes from '../moves.module.css'
import { namesIn } from './update-names.ts'
import { changedDocumentsQuery, changesKey, changesQuery, type Which } from './updates.queries.ts'

type Chosen = (typeof chosenKinds)[number]

interface ChangedDocumentsProps {
  p: string
  id: string
  /** uid of the documents' app. */
  app: string
  which: Which
  /**
   * The kind of the listed documents, if the user can choose between the source's and the app's state for each of them.
   * undefined: no choice is offered.
   */
  chosen?: Chosen
}

/** Lists changed documents, linked if they exist here. */
export function ChangedDocuments({ p, id, app, which, chosen }: ChangedDocumentsProps) {
  const t = useUpdateWords('moves.update')
  const place = useMovePlace(p)
  const { data: known } = useQuery(changesQuery(place, id))
  const models = known ? namesIn(known.changes).models : []
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    changedDocumentsQuery(place, id, which),
  )
  if (!data)
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList rows={3} />
  const documents = data.pages.flatMap((page) => page.documents)
  const left = (data.pages[0]?.total ?? 0) - documents.length
  return (
    <>
      <ul className={classes.rows}>
        {documents.map((document) => (
          <li key={`${document.model} ${document._id}`} className={classes.changed}>
            <div className={classes.rowMain}>
              <Title p={p} app={app} document={document} />
              <Text size="xs" c="dimmed">
                {models.find(({ uid }) => uid === document.model)?.name ?? document.model}
                {isUntitled(document) && ` · ${document._id}`}
                {document.problem && ` · ${errorText(new ApiError(400, { code: document.problem }))}`}
              </Text>
            </div>
            {chosen && <Choice p={p} id={id} document={document} kind={chosen} />}
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('more', { count: left })}
        </Button>
      )}
    </>
  )
}

/** Returns whether a document has no title: then the server returns its `_id` as the title. */
const isUntitled = ({ _id, title }: ChangedDocument) => title === _id

function useTitle(document: ChangedDocument): string {
  const t = useTranslations('documents.list')
  return isUntitled(document) ? t('untitled') : document.title
}

/** The title of a document, linked if the document exists here now. */
function Title({ p, app, document }: { p: string; app: string; document: ChangedDocument }) {
  const title = useTitle(document)
  const { _id, model, kind, outcome } = document
  const isHere = kind === 'removed' ? false : kind === 'new' ? outcome === 'taken' : true
  const isTrashed = kind === 'gone' && outcome === 'taken'
  if (!isHere || isTrashed) return <span className={classes.title}>{title}</span>
  return (
    <Link to="/$p/$a/$m/$id" params={{ p, a: app, m: model, id: _id }} className={classes.title ?? ''}>
      {title}
    </Link>
  )
}

/** Returns a mutation that saves the choices for an update. */
export function useChoose(p: string, id: string) {
  const place = useMovePlace(p)
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (data: ChangesChoice) => moveCalls(place, id).choose(data),
    onError: (error) => toast.error(errorText(error)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: changesKey(p, id) }),
  })
}

function Choice({
  p,
  id,
  document,
  kind,
}: {
  p: string
  id: string
  document: ChangedDocument
  kind: Chosen
}) {
  const t = useUpdateWords('moves.update.choose')
  const choose = useChoose(p, id)
  const title = useTitle(document)
  const { model, _id } = document
  const pending = choose.isPending ? choose.variables.documents?.[0]?.takes : undefined
  return (
    <NativeSelect
      size="xs"
      className={classes.choice ?? ''}
      aria-label={t('one', { title })}
      value={String(pending ?? document.takes)}
      onChange={(event) =>
        choose.mutate({ documents: [{ model, _id, takes: event.currentTarget.value === 'true' }] })
      }
      data={[
        { value: 'false', label: t(`${kind}.ours`) },
        { value: 'true', label: t(`${kind}.theirs`) },
      ]}
    />
  )
}

/**
 * Radio buttons that choose the source's or the app's state for all documents with this kind of change. No option is
 * selected if the choices differ. `takes`: number of documents for which the source's state is chosen.
 */
export function ChooseForAll({
  p,
  id,
  kind,
  takes,
  count,
}: {
  p: string
  id: string
  kind: Chosen
  takes: number
  count: number
}) {
  const t = useUpdateWords('moves.update.choose')
  const choose = useChoose(p, id)
  const now = takes === 0 ? 'false' : takes === count ? 'true' : ''
  return (
    <Radio.Group
      label={t(`${kind}.all`)}
      value={choose.isPending ? String(choose.variables.kinds?.[0]?.takes) : now}
      onChange={(value) => choose.mutate({ kinds: [{ kind, takes: value === 'true' }] })}
    >
      <Stack gap="xs" mt="xs" mb="sm">
        <Radio value="false" label={t(`${kind}.ours`)} />
        <Radio value="true" label={t(`${kind}.theirs`)} />
      </Stack>
    </Radio.Group>
  )
}
