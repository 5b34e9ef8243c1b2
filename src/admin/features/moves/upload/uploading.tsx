import { Button, FileButton, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { errorText } from '#admin/lib/errors.ts'
import { useFileSize } from '#admin/ui/file-size.ts'
import { ProgressBar } from '#admin/ui/job-progress.tsx'
import { Section } from '#admin/ui/section.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import type { Move } from '#shared/contract/moves.ts'
import { useMovePlace } from '../move-place.ts'
import { movesKey } from '../moves.queries.ts'
import { dropFile, keptFile } from './kept-files.ts'
import { acceptedFiles, sendArchive } from './send-archive.ts'

/** Uploads the archive. After a reload the user selects the file again, and the upload continues where it stopped. */
export function Uploading({ p, move }: { p: string; move: Move }) {
  const t = useTranslations('moves.uploading')
  const size = useFileSize()
  const { sending, sent, waiting, problem, start, stop } = useSending(p, move)
  const choose = (file: File | null) => {
    if (file) void start(file)
  }
  return (
    <Section title={t('title')} description={sending ? t('stay') : t('goOn', { fileName: move.fileName })}>
      <UnsavedGuard when={sending} />
      <Stack gap="sm" maw={560}>
        <ProgressBar share={sent / move.fileSize} label={t('progress')} />
        <Text size="sm" role="status">
          {t('sent', { sent: size(sent), total: size(move.fileSize) })}
          {waiting && ` ${t('waiting')}`}
        </Text>
        {problem && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {problem}
          </Text>
        )}
        <div>
          {sending ? (
            <Button variant="default" onClick={stop}>
              {t('stop')}
            </Button>
          ) : (
            <FileButton accept={acceptedFiles} onChange={choose}>
              {(props) => <Button {...props}>{t('choose')}</Button>}
            </FileButton>
          )}
        </div>
      </Stack>
    </Section>
  )
}

function useSending(p: string, move: Move) {
  const place = useMovePlace(p)
  const t = useTranslations('moves.uploading')
  const queryClient = useQueryClient()
  const running = useRef<AbortController | null>(null)
  const [sending, setSending] = useState(false)
  const [state, setState] = useState({ sent: move.received, waiting: false })
  const [problem, setProblem] = useState<string | null>(null)

  async function start(file: File) {
    if (running.current) return
    if (file.size !== move.fileSize) return setProblem(t('otherFile', { fileName: move.fileName }))
    const stop = new AbortController()
    running.current = stop
    setProblem(null)
    setSending(true)
    try {
      await sendArchive(place, move._id, file, {
        signal: stop.signal,
        onProgress: (sent, waiting) => setState({ sent, waiting }),
      })
      dropFile(move._id)
    } catch (error) {
      if (!stop.signal.aborted) setProblem(errorText(error))
    } finally {
      running.current = null
      setSending(false)
      await queryClient.invalidateQueries({ queryKey: movesKey(p) })
    }
  }
  const first = useRef(start)
  // A file selected on the previous page is uploaded on mount. Leaving this page stops the upload.
  useEffect(() => {
    const file = keptFile(move._id)
    if (file) void first.current(file)
    return () => running.current?.abort()
  }, [move._id])
  return { sending, ...state, problem, start, stop: () => running.current?.abort() }
}
