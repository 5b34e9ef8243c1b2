/** What the worker is asked to do, once. */
export interface SendOrder {
  url: string
  headers: Record<string, string>
  file: File
}

/** How far it is, and in the end whether the file was taken. */
export type SentMessage = { sent: number } | { taken: boolean }

const tell = (message: SentMessage) => postMessage(message)

addEventListener('message', ({ data: { url, headers, file } }: MessageEvent<SendOrder>) => {
  const request = new XMLHttpRequest()
  request.open('PUT', url)
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
  request.upload.addEventListener('progress', ({ loaded }) => tell({ sent: loaded }))
  // Also without an answer: its status is 0 then.
  request.addEventListener('loadend', () => tell({ taken: request.status >= 200 && request.status < 300 }))
  request.send(file)
})
