export interface SendOrder {
  url: string
  headers: Record<string, string>
  file: File
}

/** A message about progress, or the last message, which states whether the upload succeeded. */
export type SentMessage = { sent: number } | { taken: boolean }

const tell = (message: SentMessage) => postMessage(message)

addEventListener('message', ({ data: { url, headers, file } }: MessageEvent<SendOrder>) => {
  const request = new XMLHttpRequest()
  request.open('PUT', url)
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
  request.upload.addEventListener('progress', ({ loaded }) => tell({ sent: loaded }))
  // `loadend` also fires if there is no response; the status is then 0.
  request.addEventListener('loadend', () => tell({ taken: request.status >= 200 && request.status < 300 }))
  request.send(file)
})
